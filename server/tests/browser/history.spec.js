// The audit history: what is in it, its pages and its filters.

import { decide, open, signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { makeWorld } from './support/world.js';

let world;
let other;
test.beforeAll(async () => {
  [world, other] = await Promise.all([makeWorld(), makeWorld()]);
  // More than a page of events: two for each proposal.
  for (let n = 0; n < 26; n += 1) await world.agent.withdraw(await world.agent.propose());
});
test.beforeEach(({ page }) => signIn(page, world.people.rita));

const events = (page) => page.getByRole('main').getByRole('listitem');

/** The places on the connection's chain of every event on the page. */
const places = (page) => events(page).evaluateAll((all) => all.map((event) => Number(event.dataset.sequence)));

async function filterBy(page, connection) {
  await page.goto('/history');
  await page.getByLabel('Connection').fill(connection);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
}

test('a filter shows one connection, newest first, by pages without gap or repetition', async ({ page }) => {
  await filterBy(page, world.connection);
  await expect(page.getByLabel('Connection')).toHaveValue(world.connection);
  await expect(events(page)).toHaveCount(50);
  await expect(events(page).filter({ hasText: world.connection })).toHaveCount(50);
  const newer = await places(page);

  await page.getByRole('link', { name: 'Older' }).click();
  await expect(page.getByRole('link', { name: 'Older' })).toHaveCount(0);
  await expect(page.getByLabel('Connection')).toHaveValue(world.connection);
  const older = await places(page);
  expect([...newer, ...older]).toEqual(Array.from({ length: 52 }, (_, index) => 52 - index));
  await expect(events(page).last()).toContainText(`${world.agentName} proposed create_contact on ${world.connection}`);

  await page.getByRole('link', { name: 'Newest' }).click();
  await expect(page.getByRole('link', { name: 'Older' })).toBeVisible();
  expect(await places(page)).toEqual(newer);
});

test('what was done to a proposal is listed with who did it', async ({ page }) => {
  const proposal = await other.agent.propose();
  await open(page, proposal);
  await decide(page, 'Approve');
  await page.getByRole('link', { name: 'Everything that was recorded of this proposal' }).click();
  await expect(page.getByLabel('Proposal')).toHaveValue(proposal.proposal_id);
  await expect(events(page)).toHaveCount(2);
  await expect(events(page).nth(0)).toContainText(`${world.people.rita.name} approved create_contact`);
  await expect(events(page).nth(1)).toContainText(`${other.agentName} proposed create_contact`);
  await page.getByLabel('What happened').selectOption('Connections');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByText('Nothing that you may see matches this filter.')).toBeVisible();
  await page.getByRole('link', { name: 'Show everything' }).click();
  await expect(page.getByLabel('Proposal')).toHaveValue('');
});

test('a page marker that is not ours is refused', async ({ page }) => {
  await page.goto('/history?before=yesterday');
  await expect(page.getByRole('heading', { name: 'This cannot be shown' })).toBeVisible();
  await expect(page.getByText('This page marker is not one that Countersign gave.')).toBeVisible();
});
