// The story: an agent proposes, a person decides, another agent applies, and
// everybody can see it afterwards. Run by script/e2e.

import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Applier } from './applier.js';
import { Countersign } from './countersign.js';
import { CREDENTIAL, Kinto } from './kinto.js';
import { Person, openBrowser } from './person.js';
import { stopAll } from './processes.js';
import { Proposer } from './proposer.js';
import { StepFailed, closingLine, step } from './steps.js';

const ADA = { name: 'Ada Nørgård', login: 'ada', password: 'correct horse battery staple' };
const NO = 'Ask her first: she moved in May.';

// One for each person and idea; the first has every kind of value in it.
const CONTACTS = {
  a: { name: 'Zoë "Z" Ångström', tags: ['new', '顧客'], score: 4.5, visits: 12, vip: true, left: null, '€': { note: 'line\nbreak' } },
  b: { name: 'Grace', city: 'Bern' },
  c: { name: 'Edsger', city: 'Nuenen' },
  d: { name: 'Barbara' },
  e: { name: 'Donald' },
  f: { name: 'Frances' },
};

const { COUNTERSIGN_BINARY: binary, COUNTERSIGN_PYTHON: python } = process.env;
const directory = await mkdtemp(join(tmpdir(), 'countersign-story-'));
// PostgreSQL does not run as root, and its user must pass through here.
await chmod(directory, 0o711);
const countersign = new Countersign(binary, join(directory, 'data'));
let kinto;
let browser;

async function tell() {
  let link;
  await step('Kinto and the server start', async () => {
    [kinto, link] = await Promise.all([Kinto.start(directory, python), countersign.start()]);
    assert.ok(link, 'no one-time link was printed');
  });

  browser = await openBrowser();
  await step('The one-time link makes the first person, once', async () => {
    const ada = await Person.at(browser, ADA);
    await ada.setUp(link);
    assert.equal(ada.path(), '/');
    assert.match(await ada.text(), /Queue/);

    const stranger = await Person.at(browser, { name: 'Eve', login: 'eve', password: 'correct horse battery' });
    await stranger.open(link);
    assert.match(await stranger.text(), /set up already/);
    assert.equal(await stranger.page.locator('form[action="/setup"]').count(), 0);
  });

  const { proposer, applier } = await step('A connection and two agents are added by command line', async () => {
    const host = '127.0.0.1';
    await countersign.command(
      ['connection', 'add', 'kinto', '--connector', 'kinto', '--base-url', kinto.baseUrl, '--allow-host', host, '--credential-file', '-'],
      { input: CREDENTIAL },
    );
    const token = async (name, scope) =>
      (await countersign.command(['agent', 'add', name, '--owner', ADA.login, '--scope', `kinto=${scope}`])).secret;
    const [first, second] = [await token('proposer', 'read,propose'), await token('applier', 'apply')];
    assert.notEqual(first, second);
    return {
      proposer: new Proposer(countersign.origin, first, python),
      applier: new Applier(countersign.origin, second),
    };
  });

  const propose = (id, reason) =>
    proposer.call('kinto_propose', { action: 'put_record', input: kinto.input(id, CONTACTS[id]), ...(reason && { reason }) });

  const proposed = await step('The Python client proposes three writes, and a repeat is the same proposal', async () => {
    const all = {};
    for (const id of ['a', 'b', 'c']) {
      const reply = await propose(id, `Wanted for the list: ${id}`);
      assert.equal(reply.state, 'pending');
      assert.equal(reply.next_action, 'send_person_to_approval_page');
      assert.equal(reply.approval_url, `${countersign.origin}/proposals/${reply.proposal_id}`);
      assert.match(reply.binding_digest, /^[0-9a-f]{64}$/);
      assert.equal(reply.existing, false);
      all[id] = reply;
    }
    const again = await propose('a', 'The same, once more');
    assert.equal(again.proposal_id, all.a.proposal_id);
    assert.equal(again.existing, true);
    assert.deepEqual(kinto.calls.filter((call) => call.method !== 'GET'), [], 'proposing sent something');
    return all;
  });

  const ada = await Person.at(browser, ADA);
  await step('Signed out, the approval link leads over the sign-in to that proposal', async () => {
    await ada.open(proposed.a.approval_url);
    assert.equal(ada.path(), '/sign-in');
    await ada.signIn();
    assert.equal(ada.page.url(), proposed.a.approval_url);
  });

  await step('The browser confirms the page; its digest is the client\'s and the one computed in Python', async () => {
    const check = await ada.browsersCheck();
    assert.equal(check.word, 'ok', check.text);
    assert.match(check.text, /displays exactly what a decision is bound to/);
    const digest = await proposer.digest(kinto.input('a', CONTACTS.a));
    assert.equal(proposed.a.input_digest.replace(/^sha256:/, ''), digest);
    assert.equal(await ada.digestShown(), digest);
  });

  await step('A is approved, B is rejected with a comment', async () => {
    await ada.decide('Approve');
    assert.equal(await standing(ada), 'approved waiting');
    await ada.open(proposed.b.approval_url);
    assert.equal((await ada.browsersCheck()).word, 'ok');
    await ada.decide('Reject', NO);
    assert.equal(await standing(ada), 'rejected none');
    assert.deepEqual(ada.complaints, []);
  });

  const written = await step('The TypeScript client applies: A once, B not, and C stops it', async () => {
    assert.ok((await applier.tools()).includes('kinto_apply'));
    const reply = await applier.call('kinto_apply');
    assert.deepEqual(outcomes(reply), [[proposed.a.proposal_id, 'applied']]);
    assertWaitsFor(reply, proposed.c);
    assert.deepEqual(kinto.writes('a'), [201]);
    assert.deepEqual([kinto.writes('b'), kinto.writes('c')], [[], []]);
    const record = await kinto.record('a');
    const { id, last_modified: at, ...data } = record;
    assert.deepEqual({ id, data }, { id: 'a', data: CONTACTS.a });
    assert.equal(reply.writes[0].returns['/data/last_modified'], at);
    return record;
  });

  await step('A second apply writes nothing and says what was done; the proposer gets the comment', async () => {
    const reply = await applier.call('kinto_apply');
    assert.deepEqual(reply.writes, []);
    assertWaitsFor(reply, proposed.c);
    assert.deepEqual(reply.already_done.find((done) => done.proposal_id === proposed.a.proposal_id)?.outcome, 'applied');
    assert.deepEqual(kinto.writes('a'), [201]);
    assert.deepEqual(await kinto.record('a'), written);

    const rejected = await proposer.call('proposals_get', { proposal_id: proposed.b.proposal_id });
    assert.equal(rejected.state, 'rejected');
    assert.deepEqual(rejected.comments, [{ by: ADA.name, approves: false, comment: NO }]);
  });

  await step('The history shows all of it, and verifies beside the running server', async () => {
    await ada.open(`${countersign.origin}/history`);
    const kinds = await ada.page.locator('[data-kind]').evaluateAll((events) => events.map((event) => event.dataset.kind));
    const count = (kind) => kinds.filter((other) => other === kind).length;
    assert.deepEqual(
      ['connection.added', 'agent.added', 'proposal.proposed', 'proposal.approved', 'proposal.rejected', 'proposal.claimed', 'proposal.applied'].map(
        (kind) => [kind, count(kind)],
      ),
      [
        ['connection.added', 1],
        ['agent.added', 2],
        ['proposal.proposed', 3],
        ['proposal.approved', 1],
        ['proposal.rejected', 1],
        ['proposal.claimed', 1],
        ['proposal.applied', 1],
      ],
    );
    await assertVerifies();
  });

  await step('The server is killed and comes back with everything', async () => {
    assert.equal(await countersign.kill(), 'SIGKILL');
    assert.equal(await countersign.start(), undefined, 'there is a new one-time link');
    assert.equal(await ada.open(proposed.a.approval_url), 200);
    assert.equal(await standing(ada), 'approved applied');
  });

  await step('C is approved in the session from before, and applied', async () => {
    await ada.open(proposed.c.approval_url);
    assert.equal((await ada.browsersCheck()).word, 'ok');
    await ada.decide('Approve');
    const reply = await applier.call('kinto_apply');
    assert.deepEqual(outcomes(reply), [[proposed.c.proposal_id, 'applied']]);
    assert.equal(reply.state, 'done');
    assert.equal((await kinto.record('c')).name, CONTACTS.c.name);
    assert.deepEqual([kinto.writes('a'), kinto.writes('b'), kinto.writes('c')], [[201], [], [201]]);
  });

  await step('Without JavaScript somebody signs in, approves and rejects', async () => {
    const [d, e] = [await propose('d'), await propose('e')];
    const plain = await Person.at(browser, ADA, { javaScriptEnabled: false });
    await plain.open(d.approval_url);
    await plain.signIn();
    assert.equal(plain.page.url(), d.approval_url);
    assert.match(await plain.text(), /did not check the digests/);
    await plain.decide('Approve');
    assert.equal(await standing(plain), 'approved waiting');
    await plain.open(e.approval_url);
    await plain.decide('Reject', 'No.');
    assert.equal(await standing(plain), 'rejected none');
    assert.deepEqual(outcomes(await applier.call('kinto_apply')), [[d.proposal_id, 'applied']]);
  });

  await step('Killed in the middle of a call, it does not make the call again', async () => {
    const f = await propose('f');
    await ada.open(f.approval_url);
    await ada.decide('Approve');
    const done = kinto.withholdAnswer();
    const lost = applier.call('kinto_apply').then(() => 'answered', () => 'lost');
    await done;
    await countersign.kill();
    assert.equal(await lost, 'lost');
    await countersign.start();
    const reply = await applier.call('kinto_apply');
    assert.deepEqual(reply.writes, []);
    assert.equal(reply.next_action, 'wait');
    assert.ok(reply.retry_after_ms > 0);
    await ada.open(f.approval_url);
    assert.equal(await standing(ada), 'approved executing');
    assert.deepEqual(kinto.writes('f'), [201]);
    assert.deepEqual(ada.complaints, []);
  });

  await step('The server ends when told to, and its PostgreSQL with it', async () => {
    assert.equal(await countersign.stop(), 0);
    // Opens the database by itself.
    await assertVerifies();
  });
}

// The two axes as the page tells them.
async function standing(person) {
  const axes = person.page.locator('.axes');
  const decision = await axes.locator('[data-decision]').getAttribute('data-decision');
  const execution = await axes.locator('[data-execution]').getAttribute('data-execution');
  return `${decision} ${execution}`;
}

const outcomes = (reply) => reply.writes.map((write) => [write.proposal_id, write.outcome]);

function assertWaitsFor(reply, proposal) {
  assert.equal(reply.state, 'waits_for_person');
  assert.equal(reply.next_action, 'send_person_to_approval_page');
  assert.equal(reply.approval_url, proposal.approval_url);
  assert.equal(reply.stopped_at.proposal_id, proposal.proposal_id);
}

async function assertVerifies() {
  const report = await countersign.command(['audit', 'verify']);
  assert.deepEqual(report.findings, []);
  assert.ok(report.good && report.events > 0 && report.signatures > 0, JSON.stringify(report));
}

// Each part, whatever became of those before it.
async function cleanUp() {
  for (const part of [
    () => browser?.close(),
    () => kinto?.stop(),
    () => stopAll(),
    () => countersign.stopPostgres(),
    () => rm(directory, { recursive: true, force: true }),
  ]) {
    try {
      await part();
    } catch (error) {
      console.log(`while cleaning up: ${error.message}`);
    }
  }
}

// Whoever stops this from outside wants nothing left behind either.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await cleanUp();
    process.exit(1);
  });
}

let failed = 0;
try {
  await tell();
} catch (error) {
  failed = 1;
  console.log(error instanceof StepFailed ? error.cause : error);
  console.log(`\nThe end of the server's log:\n${countersign.program?.tail() ?? 'it did not start'}\n`);
} finally {
  await cleanUp();
}
console.log(closingLine(failed));
process.exit(failed);
