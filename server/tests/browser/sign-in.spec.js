// Signing in and out, and the way back to where somebody wanted to go.

import { signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { PASSWORD, makeWorld } from './support/world.js';

let world;
let proposal;
test.beforeAll(async () => {
  world = await makeWorld();
  proposal = await world.agent.propose();
});

async function fillIn(page, login, password) {
  await page.getByLabel('Sign-in name').fill(login);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a wrong password is told, and the name stays typed', async ({ page }) => {
  await page.goto('/sign-in');
  await fillIn(page, world.people.rita.login, 'not the password');
  await expect(page.getByRole('alert')).toHaveText('The name or the password is wrong.');
  await expect(page.getByLabel('Sign-in name')).toHaveValue(world.people.rita.login);
  await expect(page.getByLabel('Password')).toHaveValue('');
  await expect(page.getByRole('button', { name: 'Sign out' })).toHaveCount(0);
});

test('whoever opens a proposal signed out comes back to it, also after a slip', async ({ page }) => {
  await page.goto(proposal.approval_url);
  await expect(page.getByText('Sign in to see this proposal.')).toBeVisible();
  await fillIn(page, world.people.rita.login, 'not the password');
  await expect(page.getByRole('alert')).toBeVisible();
  await fillIn(page, world.people.rita.login, PASSWORD);
  await expect(page).toHaveURL(proposal.approval_url);
  await expect(page.getByRole('heading', { name: 'Create a contact' })).toBeVisible();
  await expect(page.getByRole('banner')).toContainText(world.people.rita.name);
});

test('a link cannot lead elsewhere after signing in', async ({ page, baseURL }) => {
  await page.goto('/sign-in?next=//elsewhere.example/');
  await fillIn(page, world.people.rita.login, PASSWORD);
  await expect(page.getByRole('heading', { name: 'Queue' })).toBeVisible();
  await expect(page).toHaveURL(`${baseURL}/`);
});

test('after signing out nothing is shown any more', async ({ page, context }) => {
  await signIn(page, world.people.rita);
  await page.goto('/');
  const [cookie] = await context.cookies();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  // The session itself has ended, not only this browser's memory of it.
  await context.addCookies([cookie]);
  await page.goto('/history');
  await expect(page.getByText('Sign in to see the history.')).toBeVisible();
});
