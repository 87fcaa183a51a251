// The browser's own check of what a decision is bound to.

import { axis, decide, open, panel, signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { makeWorld } from './support/world.js';

let world;
test.beforeAll(async () => {
  world = await makeWorld();
});
test.beforeEach(({ page }) => signIn(page, world.people.rita));

const approve = (page) => panel(page).getByRole('button', { name: 'Approve' });
const reject = (page) => panel(page).getByRole('button', { name: 'Reject' });

/** Opens a proposal whose page was changed on its way. */
async function openChanged(page, change) {
  const proposal = await world.agent.propose();
  await page.route(proposal.approval_url, async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    const changed = change(html);
    expect(changed, 'something to change').not.toBe(html);
    await route.fulfill({ response, body: changed });
  });
  await open(page, proposal);
  return proposal;
}

test('an unchanged page is said to be checked, and names what was', async ({ page }) => {
  await open(page, await world.agent.propose());
  await expect(panel(page)).toContainText('Checked in this browser: the page displays exactly what a decision is bound to.');
  await panel(page).getByText('What was checked').click();
  const found = panel(page).getByRole('listitem').filter({ hasText: 'olds' });
  await expect(found).toHaveText(Array(10).fill(/^Holds: /));
  await expect(approve(page)).toBeEnabled();
});

for (const { name, says, change } of [
  {
    name: 'another value is displayed',
    says: 'something else at /name',
    change: (html) => html.replace(/<table [^>]*data-fields="input".*?<\/table>/s, (table) => table.replace('Dorothy Vaughan', 'Dorothy Vaughn')),
  },
  {
    name: 'a field is left out',
    says: '/status',
    change: (html) => html.replace(/<tr [^>]*data-pointer="\/status".*?<\/tr>/s, ''),
  },
  {
    name: 'the evidence is about something else',
    says: 'digest',
    change: (html) => html.replace(/data-content="[^"]*"/, (content) => content.replaceAll('Dorothy Vaughan', 'Dorothy Vaughn')),
  },
  {
    name: 'the evidence is gone',
    says: 'The evidence on this page cannot be read.',
    change: (html) => html.replace(/data-binding="[^"]*"/, ''),
  },
  {
    name: 'the form would send another digest',
    says: "form's digest",
    change: (html) => html.replace(/(name="binding_digest" value=")[0-9a-f]{64}/, `$1${'0'.repeat(64)}`),
  },
  {
    name: 'the form would decide another proposal',
    says: 'The form would decide another proposal.',
    change: (html) => html.replace(/(action="\/proposals\/prp_)[^/]*(\/decision")/, '$1another$2'),
  },
]) {
  test(`${name}: it warns, and approving is not possible`, async ({ page }) => {
    await openChanged(page, change);
    const warning = panel(page).getByRole('alert');
    await expect(warning).toContainText('Do not approve.');
    await expect(warning).toContainText(says);
    await expect(approve(page)).toBeDisabled();
    await expect(reject(page)).toBeEnabled();
    await expect(panel(page)).not.toContainText('Checked in this browser');
  });
}

test('what is changed after the check is found when the form is sent', async ({ page }) => {
  const proposal = await world.agent.propose();
  await open(page, proposal);
  await expect(panel(page)).toContainText('Checked in this browser');
  await page.locator('table[data-fields=input]').getByText('Dorothy Vaughan').evaluate((value) => {
    value.textContent = value.textContent.replace('Vaughan', 'Vaughn');
  });
  await decide(page, 'Approve');
  await expect(panel(page).getByRole('alert')).toContainText('Do not approve.');
  await expect(approve(page)).toBeDisabled();
  await expect(page).toHaveURL(proposal.approval_url);
  expect(await world.agent.get(proposal)).toMatchObject({ state: 'pending' });
});

test('a page that warns can still be rejected', async ({ page }) => {
  await openChanged(page, (html) => html.replace(/<tr [^>]*data-pointer="\/status".*?<\/tr>/s, ''));
  await expect(panel(page).getByRole('alert')).toContainText('Do not approve.');
  await decide(page, 'Reject');
  await expect(axis(page, 'Decision')).toHaveText('Rejected');
});

test.describe('on a small screen', () => {
  test.use({ viewport: { width: 360, height: 640 } });

  test('the warning is in view wherever the reader is', async ({ page }) => {
    await openChanged(page, (html) => html.replace(/<tr [^>]*data-pointer="\/status".*?<\/tr>/s, ''));
    const warning = panel(page).getByRole('alert');
    await expect(warning).toBeInViewport({ ratio: 1 });
    await page.getByRole('region', { name: 'Digests' }).scrollIntoViewIfNeeded();
    await expect(warning).toBeInViewport({ ratio: 1 });
    await expect(reject(page)).toBeInViewport({ ratio: 1 });
  });
});
