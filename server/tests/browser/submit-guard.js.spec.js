// A form is sent once, and not by a click that was meant for something else.

import { axis, isAlive, open, panel, signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { makeWorld } from './support/world.js';

let world;
test.beforeAll(async () => {
  world = await makeWorld();
});

const approve = (page) => panel(page).getByRole('button', { name: 'Approve' });

// The browser's clock stands still until a test moves it on.
const START = Date.now();
const secondsLater = (page, seconds) => page.clock.setFixedTime(START + seconds * 1000);

test.beforeEach(async ({ page }) => {
  await signIn(page, world.people.rita);
  await secondsLater(page, 0);
});

/** Every form that is sent from the page. */
function sentFrom(page) {
  const sent = [];
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
  return sent;
}

test('a double click decides once', async ({ page }) => {
  const sent = sentFrom(page);
  const proposal = await world.agent.propose();
  await open(page, proposal);
  await secondsLater(page, 1);
  await approve(page).dblclick();
  await expect(axis(page, 'Decision')).toHaveText('Approved');
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(sent).toEqual([`${proposal.approval_url}/decision`]);
  await expect(page.getByRole('region', { name: 'Decisions' }).getByRole('listitem')).toHaveCount(1);
});

test('a click on a page that has only just come into view decides nothing, and says so', async ({ page }) => {
  const sent = sentFrom(page);
  const proposal = await world.agent.propose();
  await open(page, proposal);
  await approve(page).click();
  await expect(axis(page, 'Decision')).toHaveText('Pending');
  expect(sent).toEqual([]);
  await expect(page.getByRole('status')).toHaveText('Not sent, because this page had only just come into view. Press again.');
  await secondsLater(page, 1);
  await approve(page).click();
  await expect(axis(page, 'Decision')).toHaveText('Approved');
});

test('a page that the browser brings back can be used again', async ({ page }) => {
  const proposal = await world.agent.propose();
  await open(page, proposal);
  await secondsLater(page, 1);
  await approve(page).click();
  await expect(axis(page, 'Decision')).toHaveText('Approved');
  await page.goto('/sign-in');
  await page.goBack();
  await isAlive(page);
  await panel(page).getByText('Call it off before it is applied').click();
  await panel(page).getByLabel(/^Reason/).fill('Too late.');
  await panel(page).getByRole('button', { name: 'Call off' }).click();
  await expect(axis(page, 'Decision')).toHaveText('Called off');
});
