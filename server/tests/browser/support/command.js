// The command line of the server under test.

import { spawn } from 'node:child_process';

/** Runs `countersign` with these arguments and gives back what it says as JSON. */
export function countersign(args, { input = '' } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.env.COUNTERSIGN, ['--json', ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
    let said = '';
    let complained = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (complained += chunk));
    child.on('error', reject);
    child.on('close', (status) => {
      if (status === 0) resolve(JSON.parse(said));
      else reject(new Error(`countersign ${args.join(' ')} ended with ${status}: ${said}${complained}`));
    });
    child.stdin.end(input);
  });
}
