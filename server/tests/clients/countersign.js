// The server under test, and its command line.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Program, run, until } from './processes.js';

export class Countersign {
  constructor(binary, dataDir) {
    this.binary = binary;
    this.dataDir = dataDir;
    this.listen = '127.0.0.1:0';
  }

  // Starts it where it was before, the first time at any free port. Returns what
  // it says of the one-time link, if it says anything.
  async start() {
    this.program = new Program('the server', this.binary, ['serve'], { env: this.environment() });
    const [, origin] = await this.program.says(/^Countersign is at (\S+)$/m);
    this.origin = origin;
    this.listen = new URL(origin).host;
    await until('the server is ready', () => fetch(`${origin}/readyz`).then((answer) => answer.ok, () => false));
    return this.program.output.match(/^\s+(\S+\/setup\?token=\S+)$/m)?.[1];
  }

  // Runs a command beside the server and returns its JSON.
  async command(args, { input, ends = 0 } = {}) {
    const { code, stdout, stderr } = await run(this.binary, ['--json', ...args], { input, env: this.environment() });
    if (code !== ends) throw new Error(`countersign ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  }

  kill() {
    return this.program.stop('SIGKILL');
  }

  stop() {
    return this.program.stop();
  }

  // PostgreSQL outlives a server that was killed, and so that nothing is left
  // behind, nobody may be counted on to adopt it.
  async stopPostgres() {
    const file = join(this.dataDir, 'postgres/postmaster.pid');
    const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
    if (!pid) return;
    process.kill(pid, 'SIGQUIT');
    await until('PostgreSQL ends', () => readFile(file).then(() => false, () => true));
  }

  environment() {
    return {
      ...process.env,
      COUNTERSIGN_DATA_DIR: this.dataDir,
      COUNTERSIGN_LISTEN: this.listen,
      COUNTERSIGN_DATABASE_URL: undefined,
      COUNTERSIGN_OWNER_URL: undefined,
      COUNTERSIGN_PUBLIC_URL: undefined,
      COUNTERSIGN_MASTER_KEY_FILE: undefined,
    };
  }
}
