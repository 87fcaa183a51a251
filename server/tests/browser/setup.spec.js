// The first person is made by a link that works once.

import { startServer } from './support/own-server.js';
import { expect, test } from './support/test.js';
import { PASSWORD } from './support/world.js';

let server;
test.beforeAll(async () => {
  server = await startServer();
});
test.afterAll(() => server?.stop());

test('a link that is not ours is refused, and what was typed is kept', async ({ page }) => {
  await page.goto(`${server.link}x`);
  await page.getByLabel('Your name').fill('Rita Levi');
  await page.getByLabel('Sign-in name').fill('rita@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up Countersign' }).click();

  await expect(page.getByRole('alert')).toContainText('This set-up link is unknown, used or expired.');
  await expect(page.getByLabel('Your name')).toHaveValue('Rita Levi');
  await expect(page.getByLabel('Sign-in name')).toHaveValue('rita@example.com');
  await expect(page.getByLabel('Password')).toHaveValue('');
});

test('the set-up link makes the first person, once', async ({ page, context }) => {
  await page.goto(new URL('/setup', server.link).href);
  await expect(page.getByText('Open the one-time link that the server printed')).toBeVisible();

  await page.goto(server.link);
  await page.getByLabel('Your name').fill('Rita Levi');
  await page.getByLabel('Sign-in name').fill('rita@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up Countersign' }).click();

  await expect(page.getByRole('heading', { name: 'Queue' })).toBeVisible();
  await expect(page.getByRole('banner')).toContainText('Rita Levi');
  await expect(page.getByText('You review no connection, so nothing can wait for you.')).toBeVisible();

  await context.clearCookies();
  await page.goto(server.link);
  await expect(page.getByText('Countersign is set up already. The link has done its work.')).toBeVisible();
  await expect(page.getByRole('textbox')).toHaveCount(0);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});
