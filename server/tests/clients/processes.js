// Programs that the story runs beside itself. Everything started here is
// stopped at the end, whatever the end is.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const KEPT = 200_000;
const ENDS_WITHIN = 15_000;
const running = new Set();

// A program that goes on running, with the end of what it wrote.
export class Program {
  constructor(name, command, args, options = {}) {
    this.name = name;
    this.output = '';
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
    this.ended = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => resolve(signal ?? code));
      this.child.once('error', (error) => resolve(error.message));
    }).then((how) => {
      running.delete(this);
      this.how = how;
      return how;
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        this.output = (this.output + text).slice(-KEPT);
      });
    }
    running.add(this);
  }

  // The first match of the pattern in what it writes.
  async says(pattern) {
    return until(`${this.name} says ${pattern}`, () => {
      const match = this.output.match(pattern);
      if (!match && this.how !== undefined) throw new Error(`${this.name} ended with ${this.how}`);
      return match;
    });
  }

  // How it ended: its exit code, or the signal that killed it.
  async stop(signal = 'SIGTERM') {
    this.child.kill(signal);
    const late = pause(ENDS_WITHIN, 'late', { ref: false });
    if (this.how === undefined && (await Promise.race([this.ended, late])) === 'late') {
      this.child.kill('SIGKILL');
    }
    return this.ended;
  }

  tail(lines = 40) {
    return this.output.trimEnd().split('\n').slice(-lines).join('\n');
  }
}

// Last started, first stopped.
export async function stopAll() {
  for (const program of [...running].reverse()) await program.stop();
}

// Runs a program to its end: { code, stdout, stderr }.
export async function run(command, args, { input = '', ...options } = {}) {
  const child = spawn(command, args, options);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text;
    });
  }
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, ...said };
}

// Asks again and again until there is an answer.
export async function until(what, ask, within = 30_000) {
  const latest = Date.now() + within;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > latest) throw new Error(`waited ${within / 1000} s in vain: ${what}`);
    await pause(50);
  }
}

// A port that nothing listens on at this moment.
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
