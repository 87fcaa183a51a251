// People, a connection and an agent that no other spec file has, so that the
// files do not depend on each other although they share a server.

import { randomBytes } from 'node:crypto';
import { Agent } from './agent.js';
import { countersign } from './command.js';

export const PASSWORD = 'a password to test with';

/**
 * Makes a connection with an agent, and people.
 *
 * `people` gives each their roles, such as `{ rita: ['reviewer'] }`. The first
 * of them owns the agent. `connector` is the sandbox if it is not said.
 */
export async function makeWorld({ people = { rita: ['reviewer'] }, connector, fourEyes = false } = {}) {
  const unique = randomBytes(4).toString('hex');
  const world = { connection: `c${unique}`, people: {} };
  const added = Object.entries(people).map(async ([name, roles]) => {
    const person = { login: `${name}-${unique}`, name: `${name[0].toUpperCase()}${name.slice(1)} ${unique}` };
    world.people[name] = person;
    const flags = roles.map((role) => `--${role}`);
    await countersign(['person', 'add', person.login, '--name', person.name, ...flags], { input: PASSWORD });
  });
  await Promise.all([...added, addConnection(world.connection, connector ?? (await sandbox()), fourEyes)]);

  const owner = world.people[Object.keys(people)[0]].login;
  const scope = `${world.connection}=read,propose,apply`;
  world.agentName = `scribe-${unique}`;
  const made = await countersign(['agent', 'add', world.agentName, '--owner', owner, '--scope', scope]);
  world.agent = new Agent(process.env.COUNTERSIGN_ORIGIN, made.secret, world.connection);
  return world;
}

function addConnection(name, { connector, baseUrl, credential }, fourEyes) {
  const flags = ['--connector', connector, '--base-url', baseUrl, '--credential-file', '-', '--allow-host', '127.0.0.1'];
  if (fourEyes) flags.push('--four-eyes');
  return countersign(['connection', 'add', name, ...flags], { input: credential });
}

let found;

/** The sandbox that runs beside the server. Its port may differ. */
async function sandbox() {
  found ??= countersign(['connection', 'list']);
  const { base_url: baseUrl } = (await found).connections.find((connection) => connection.name === 'sandbox');
  return { connector: 'sandbox', baseUrl, credential: 'sandbox' };
}
