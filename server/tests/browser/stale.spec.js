// A page that is older than what it shows decides nothing, and the comment that
// was typed on it is not lost.

import { axis, comment, decide, open, panel, signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { makeWorld } from './support/world.js';

let world;
test.beforeAll(async () => {
  world = await makeWorld();
});
test.beforeEach(({ page }) => signIn(page, world.people.rita));

test('of two tabs the second learns that it was decided', async ({ page, context }) => {
  const proposal = await world.agent.propose();
  const second = await context.newPage();
  await open(page, proposal);
  await open(second, proposal);
  await decide(page, 'Approve');
  await expect(axis(page, 'Decision')).toHaveText('Approved');

  await comment(second).fill('Not this one!');
  await decide(second, 'Reject');
  await expect(second.getByRole('alert')).toContainText('This proposal is no longer pending.');
  await expect(axis(second, 'Decision')).toHaveText('Approved');
  await expect(panel(second).getByRole('button', { name: /Approve|Reject/ })).toHaveCount(0);
  await expect(panel(second)).toContainText('Not recorded: what you wrote');
  await expect(panel(second)).toContainText('Not this one!');
  expect((await world.agent.get(proposal)).comments).toEqual([]);
});

test('a form about something else than what stands now is refused', async ({ page }) => {
  const proposal = await world.agent.propose();
  await page.route(proposal.approval_url, async (route) => {
    const response = await route.fetch();
    const old = (await response.text()).replace(/(name="binding_digest" value=")[0-9a-f]{64}/, `$1${'0'.repeat(64)}`);
    await route.fulfill({ response, body: old });
  });
  await open(page, proposal);
  await comment(page).fill('Not this one!');
  await decide(page, 'Reject');
  await expect(page.getByRole('alert')).toContainText('This proposal was changed since you opened the page.');
  await expect(axis(page, 'Decision')).toHaveText('Pending');
  await expect(comment(page)).toHaveValue('Not this one!');

  // What is shown now is what stands, so that it can be decided at once.
  await decide(page, 'Reject');
  await expect(axis(page, 'Decision')).toHaveText('Rejected');
  expect((await world.agent.get(proposal)).comments).toMatchObject([{ comment: 'Not this one!' }]);
});

test('whose session ended signs in and finds the proposal again', async ({ page, context }) => {
  const proposal = await world.agent.propose();
  await open(page, proposal);
  await comment(page).fill('She is expected.');
  await context.clearCookies();
  await decide(page, 'Approve');
  await expect(page.getByRole('alert')).toContainText('You are signed out, and nothing was recorded.');
  await expect(page.getByRole('main')).toContainText('Not recorded: what you wrote');
  await expect(page.getByRole('main')).toContainText('She is expected.');
  await expect(page.getByText('Sign in to see this proposal.')).toBeVisible();
  expect(await world.agent.get(proposal)).toMatchObject({ state: 'pending' });
});
