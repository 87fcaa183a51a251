// Runs the specs in this directory in Chromium, each with JavaScript and
// without, against the build of script/test, on an empty data directory. Specs
// named *.js.spec.js are about what only JavaScript does.

import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineConfig } from '@playwright/test';

const project = resolve(import.meta.dirname, '../../..');
const origin = 'http://127.0.0.1:3210';

// The workers that run the specs read this file too, and must find what the
// first reading made.
process.env.COUNTERSIGN ??= join(process.env.CARGO_TARGET_DIR ?? join(project, 'target'), 'debug/countersign');
process.env.COUNTERSIGN_DATA_DIR ??= mkdtempSync(join(tmpdir(), 'countersign-browser-'));
process.env.COUNTERSIGN_LISTEN = new URL(origin).host;
process.env.COUNTERSIGN_ORIGIN = origin;
process.env.COUNTERSIGN_LOG ??= 'warn';
// PostgreSQL does not run as root; where these tests do, its user must get there.
chmodSync(process.env.COUNTERSIGN_DATA_DIR, 0o711);

export default defineConfig({
  testDir: '.',
  // They share one server; each file has people and a connection of its own.
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  outputDir: join(project, 'target/browser'),
  use: {
    baseURL: origin,
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        // It is to talk to the server under test only.
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  projects: [
    { name: 'with JavaScript', use: { javaScriptEnabled: true } },
    { name: 'without JavaScript', use: { javaScriptEnabled: false }, testIgnore: '**/*.js.spec.js' },
  ],
  webServer: {
    command: `'${process.env.COUNTERSIGN}' serve --sandbox`,
    cwd: project,
    url: `${origin}/healthz`,
    // Lets it end the PostgreSQL that it started.
    gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 },
  },
});
