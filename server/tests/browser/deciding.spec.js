// A person approves or rejects on the page of a proposal.

import { axis, comment, decide, open, panel, signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { makeWorld } from './support/world.js';

let world;
test.beforeAll(async () => {
  world = await makeWorld();
});
test.beforeEach(({ page }) => signIn(page, world.people.rita));

test('what waits shows both axes, what is asked and who asks', async ({ page }) => {
  const proposal = await world.agent.propose();
  await open(page, proposal);
  await expect(axis(page, 'Decision')).toHaveText('Pending');
  await expect(axis(page, 'Execution')).toHaveText('Nothing sent');
  const asked = page.getByRole('region', { name: 'Who asks, and where it would be written' });
  await expect(asked).toContainText(world.agentName);
  await expect(asked).toContainText(world.people.rita.name);
  await expect(page.getByRole('row', { name: /^name/ })).toContainText('Dorothy Vaughan');
  await expect(page.getByRole('region', { name: "The agent's own words" })).toContainText('She asked for an offer.');
  // Else what comes after it on the connection would wait for it.
  await world.agent.withdraw(proposal);
});

test('an approval with a comment is recorded, told to the agent and carried out', async ({ page }) => {
  const proposal = await world.agent.propose();
  await open(page, proposal);
  await comment(page).fill('Go ahead.\nShe is expected.');
  await decide(page, 'Approve');

  await expect(axis(page, 'Decision')).toHaveText('Approved');
  await expect(axis(page, 'Execution')).toHaveText('Not applied yet');
  const decisions = page.getByRole('region', { name: 'Decisions' });
  await expect(decisions).toContainText(`${world.people.rita.name} approved`);
  await expect(decisions).toContainText('She is expected.');
  await expect(panel(page).getByRole('button', { name: /Approve|Reject/ })).toHaveCount(0);
  const told = await world.agent.get(proposal);
  expect(told).toMatchObject({ state: 'approved', next_action: 'apply' });
  expect(told.comments).toMatchObject([{ approves: true, comment: 'Go ahead.\nShe is expected.' }]);

  expect(await world.agent.apply()).toMatchObject({ state: 'done', writes: [{ outcome: 'applied' }] });
  await page.reload();
  await expect(axis(page, 'Decision')).toHaveText('Approved');
  await expect(axis(page, 'Execution')).toHaveText('Applied');
  await expect(page.getByRole('region', { name: 'Execution' })).toContainText('The provider answered that it was done.');
});

test('a rejection with a comment ends it, and nothing is sent', async ({ page }) => {
  const proposal = await world.agent.propose();
  await open(page, proposal);
  await comment(page).fill('She is in there already.');
  await decide(page, 'Reject');

  await expect(axis(page, 'Decision')).toHaveText('Rejected');
  await expect(axis(page, 'Execution')).toHaveText('Nothing sent');
  await expect(page.getByText('It was rejected. Nothing was sent.')).toBeVisible();
  const told = await world.agent.get(proposal);
  expect(told).toMatchObject({ state: 'rejected' });
  expect(told.comments).toMatchObject([{ approves: false, comment: 'She is in there already.' }]);
});

test('the queue leads to a proposal, and lists it until it is decided', async ({ page }) => {
  const proposal = await world.agent.propose({ action: 'delete_contact', input: { id: world.connection } });
  await page.goto('/');
  const waiting = page.getByRole('region', { name: /^Waits for you/ });
  const row = waiting.getByRole('listitem').filter({ hasText: world.connection });
  await expect(row).toContainText('high risk');
  await expect(row).toContainText('You may decide this.');
  await row.getByRole('link', { name: 'Delete a contact' }).click();
  await expect(page).toHaveURL(proposal.approval_url);
  await decide(page, 'Reject');
  await expect(axis(page, 'Decision')).toHaveText('Rejected');
  await page.goto('/');
  await expect(page.getByRole('listitem').filter({ hasText: world.connection })).toHaveCount(0);
});
