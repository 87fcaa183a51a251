// The provider: Kinto, with everything in memory, behind a proxy that remembers
// which calls came through.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';

import { Program, freePort, until } from './processes.js';

export const CREDENTIAL = 'countersign:with a secret of its own';
const BUCKET = 'crm';
const COLLECTION = 'contacts';

export class Kinto {
  static async start(directory, python) {
    const port = await freePort();
    const settings = join(directory, 'kinto.ini');
    await writeFile(settings, ini(port));
    const kinto = new Kinto();
    kinto.program = new Program('Kinto', join(python, 'bin/pserve'), [settings]);
    kinto.origin = `http://127.0.0.1:${port}`;
    kinto.proxy = await kinto.forward(port);
    await until('Kinto answers', () => kinto.answers());
    await kinto.ask('PUT', `/buckets/${BUCKET}`);
    await kinto.ask('PUT', `/buckets/${BUCKET}/collections/${COLLECTION}`);
    return kinto;
  }

  calls = [];
  #withhold;

  // The next write is done, and its answer never arrives. Resolves when it is done.
  withholdAnswer() {
    return new Promise((resolve) => {
      this.#withhold = resolve;
    });
  }

  // What the connection is to call.
  get baseUrl() {
    return `http://127.0.0.1:${this.proxy.address().port}/v1`;
  }

  input(id, data) {
    return { bucket: BUCKET, collection: COLLECTION, id, data };
  }

  // Asked behind the proxy's back. Nothing if there is no such record.
  async record(id) {
    const answer = await this.ask('GET', record(id), [200, 404]);
    return answer.data;
  }

  // The writes that were sent for this record, as their statuses.
  writes(id) {
    return this.calls.filter((call) => call.path === `/v1${record(id)}` && call.method !== 'GET').map((call) => call.status);
  }

  async forward(port) {
    const proxy = createServer((incoming, outgoing) => {
      const { method, url: path, headers } = incoming;
      const onward = request({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
        this.calls.push({ method, path, status: answer.statusCode });
        if (this.#withhold && method !== 'GET') {
          this.#withhold();
          this.#withhold = undefined;
          answer.resume();
          return;
        }
        outgoing.writeHead(answer.statusCode, answer.rawHeaders);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    return proxy;
  }

  async ask(method, path, expected = [200, 201]) {
    const authorization = `Basic ${Buffer.from(CREDENTIAL).toString('base64')}`;
    const answer = await fetch(`${this.origin}/v1${path}`, { method, headers: { authorization } });
    if (!expected.includes(answer.status)) throw new Error(`Kinto answers ${answer.status} to ${method} ${path}`);
    return answer.json();
  }

  async answers() {
    if (this.program.how !== undefined) throw new Error(`Kinto ended with ${this.program.how}`);
    return fetch(`${this.origin}/v1/`).then((answer) => answer.ok, () => false);
  }

  async stop() {
    this.proxy?.close();
    this.proxy?.closeAllConnections();
    await this.program?.stop();
  }
}

const record = (id) => `/buckets/${BUCKET}/collections/${COLLECTION}/records/${id}`;

const ini = (port) => `
[server:main]
use = egg:waitress#main
host = 127.0.0.1
port = ${port}

[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.userid_hmac_secret = not a secret, nothing is kept
multiauth.policies = basicauth

[loggers]
keys = root
[handlers]
keys = console
[formatters]
keys = plain
[logger_root]
level = WARNING
handlers = console
[handler_console]
class = StreamHandler
args = (sys.stderr,)
level = NOTSET
formatter = plain
[formatter_plain]
format = %(levelname)s %(name)s %(message)s
`;
