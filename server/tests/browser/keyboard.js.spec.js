// Keys move and focus; no key decides by itself.

import { axis, comment, isAlive, open, panel, signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { makeWorld } from './support/world.js';

let world;
let proposals;
test.beforeAll(async () => {
  world = await makeWorld();
  proposals = [await world.agent.propose(), await world.agent.propose()];
});
test.beforeEach(({ page }) => signIn(page, world.people.rita));

test('j and k go along the queue, Enter opens, q leads back', async ({ page }) => {
  await page.goto('/');
  await isAlive(page);
  const rows = page.getByRole('listitem').getByRole('heading').getByRole('link');
  await page.keyboard.press('k');
  await expect(rows.first()).not.toBeFocused();
  await page.keyboard.press('j');
  await expect(rows.nth(0)).toBeFocused();
  await page.keyboard.press('j');
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press('k');
  await expect(rows.nth(0)).toBeFocused();
  const first = await rows.nth(0).getAttribute('href');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`${first}$`));
  await isAlive(page);
  await page.keyboard.press('q');
  await expect(page.getByRole('heading', { name: 'Queue' })).toBeVisible();
});

test('a and r focus a button, and decide nothing', async ({ page }) => {
  const sent = [];
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
  await open(page, proposals[0]);
  await page.keyboard.press('a');
  await expect(panel(page).getByRole('button', { name: 'Approve' })).toBeFocused();
  await page.keyboard.press('r');
  await expect(panel(page).getByRole('button', { name: 'Reject' })).toBeFocused();
  await page.getByRole('heading', { level: 1 }).click();
  for (const key of ['a', 'a', 'r', 'r', 'y', 'j', 'k', 'x']) await page.keyboard.press(key);
  await expect(axis(page, 'Decision')).toHaveText('Pending');
  expect(sent).toEqual([]);
  expect(await world.agent.get(proposals[0])).toMatchObject({ state: 'pending' });
});

test('what is typed into a comment is text', async ({ page }) => {
  await open(page, proposals[0]);
  await comment(page).pressSequentially('jakq?r');
  await expect(comment(page)).toHaveValue('jakq?r');
  await expect(comment(page)).toBeFocused();
});

test('the keys are listed, and can be switched off in this browser', async ({ page }) => {
  await open(page, proposals[0]);
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keys' });
  await expect(list).toContainText('no single key decides');
  await list.getByLabel('Use these keys in this browser').uncheck();
  await list.getByRole('button', { name: 'Close' }).click();
  await expect(list).toBeHidden();

  await page.reload();
  await isAlive(page);
  await page.keyboard.press('a');
  await expect(panel(page).getByRole('button', { name: 'Approve' })).not.toBeFocused();
  // The button is still there for whoever wants them back.
  await page.getByRole('button', { name: 'Keys' }).click();
  await list.getByLabel('Use these keys in this browser').check();
  await list.getByRole('button', { name: 'Close' }).click();
  await page.keyboard.press('a');
  await expect(panel(page).getByRole('button', { name: 'Approve' })).toBeFocused();
});
