// The pages as people use them.

import { expect, test } from './test.js';
import { PASSWORD } from './world.js';

/** Signs in without the page, which has a spec of its own; a second time with the same session. */
export async function signIn(page, person) {
  if (person.cookies) return page.context().addCookies(person.cookies);
  const response = await page.request.post('/sign-in', { form: { login: person.login, password: PASSWORD } });
  expect(response.url()).toMatch(/\/$/);
  person.cookies = await page.context().cookies();
}

/** Opens the page of a proposal. */
export async function open(page, proposal) {
  await page.goto(proposal.approval_url);
  await isAlive(page);
}

/** Waits until every island of the page runs; without JavaScript there is nothing to wait for. */
export async function isAlive(page) {
  if (!runsScripts()) return;
  const islands = page.locator('leptos-island');
  await expect(islands).not.toHaveCount(0);
  await expect(islands.locator('> [data-alive="true"]')).toHaveCount(await islands.count());
}

/** Whether this is the project with JavaScript. */
export const runsScripts = () => test.info().project.use.javaScriptEnabled;

export const panel = (page) => page.getByRole('complementary', { name: 'State and decision' });

/** One of the two axes of the state. */
export function axis(page, name) {
  const pair = panel(page).locator('div').filter({ has: page.getByRole('term').getByText(name, { exact: true }) });
  return pair.last().getByRole('definition');
}

export const comment = (page) => panel(page).getByLabel('Comment, for the agent and the history');

/** Presses Approve or Reject, once the page lets decisions through. */
export async function decide(page, verdict) {
  await isAlive(page);
  await panel(page).getByRole('button', { name: verdict }).click();
}
