// Talks to proposer.py, which is the agent.

import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { Program } from './processes.js';

export class Proposer {
  constructor(origin, token, python) {
    this.program = new Program('the proposer', join(python, 'bin/python'), [join(import.meta.dirname, 'proposer.py')], {
      env: { ...process.env, MCP_URL: `${origin}/mcp`, AGENT_TOKEN: token },
    });
    this.answers = createInterface({ input: this.program.child.stdout })[Symbol.asyncIterator]();
  }

  async call(tool, args) {
    const { error, reply } = await this.ask({ tool, arguments: args });
    if (error) throw new Error(`${tool} is refused: ${JSON.stringify(reply)}`);
    return reply;
  }

  // As computed in Python, apart from the server.
  async digest(input) {
    return (await this.ask({ digest: input })).digest;
  }

  async ask(question) {
    this.program.child.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await this.answers.next();
    if (done) throw new Error(`the proposer ended with ${await this.program.ended}:\n${this.program.tail()}`);
    return JSON.parse(value);
  }
}
