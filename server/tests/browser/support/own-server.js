// A server of its own for what the shared one can show only once.

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const project = resolve(import.meta.dirname, '../../../..');

/** Starts a server on an empty data directory; gives its set-up link and how to end it. */
export async function startServer() {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-own-'));
  // As in the configuration of all specs: PostgreSQL's user must get there.
  chmodSync(directory, 0o711);
  const child = spawn(process.env.COUNTERSIGN, ['serve', '--listen', '127.0.0.1:0', '--data-dir', join(directory, 'data')], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => child.on('close', done));
  const link = await printedLink(child.stdout, ended);
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true });
  };
  return { link, stop };
}

async function printedLink(stdout, ended) {
  let said = '';
  const found = new Promise((done) => {
    stdout.on('data', (chunk) => {
      said += chunk;
      const link = said.match(/http\S+\/setup\?token=\S+/);
      if (link) done(link[0]);
    });
  });
  const never = ended.then(() => Promise.reject(new Error(`the server ended: ${said}`)));
  return Promise.race([found, never]);
}
