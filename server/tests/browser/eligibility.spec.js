// Who may not decide sees the page, no button, and why.

import { axis, open, panel, signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { makeWorld } from './support/world.js';

let world;
let proposal;
test.beforeAll(async () => {
  const people = { olaf: ['reviewer'], rita: ['reviewer'], adam: ['admin'], aude: ['auditor'], otto: [] };
  world = await makeWorld({ people, fourEyes: true });
  proposal = await world.agent.propose();
});

for (const { who, why, seesInput } of [
  { who: 'olaf', why: 'This agent acts on your behalf, and the connection asks for a second pair of eyes.', seesInput: true },
  { who: 'aude', why: 'You are in none of the groups that review this connection.', seesInput: true },
  { who: 'adam', why: 'You are in none of the groups that review this connection.', seesInput: false },
]) {
  const role = { olaf: 'the owner under four eyes', aude: 'an auditor', adam: 'an admin' }[who];
  test(`${role} is told why they may not decide`, async ({ page }) => {
    await signIn(page, world.people[who]);
    await open(page, proposal);
    await expect(axis(page, 'Decision')).toHaveText('Pending');
    await expect(panel(page)).toContainText(why);
    await expect(page.getByRole('button', { name: /Approve|Reject/ })).toHaveCount(0);
    await expect(page.getByLabel(/^Comment/)).toHaveCount(0);
    await expect(panel(page)).toContainText('Who can decide: ');
    await expect(panel(page)).not.toContainText(world.people.olaf.name);
    await expect(page.getByText('Dorothy Vaughan').first()).toBeVisible({ visible: seesInput });
  });
}

test('the second pair of eyes may decide', async ({ page }) => {
  await signIn(page, world.people.rita);
  await open(page, proposal);
  await expect(panel(page)).toContainText("Four eyes: the agent's owner may not decide.");
  await expect(panel(page).getByRole('button', { name: 'Approve' })).toBeEnabled();
  await expect(panel(page).getByRole('button', { name: 'Reject' })).toBeEnabled();
});

test('to a stranger the proposal does not exist', async ({ page }) => {
  await signIn(page, world.people.otto);
  const response = await page.goto(proposal.approval_url);
  expect(response.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible();
});
