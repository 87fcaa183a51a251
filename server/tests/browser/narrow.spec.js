// Every page on a small phone.

import { expectNoSideways } from './support/accessibility.js';
import { PAGES, prepare } from './support/every-page.js';
import { axis, decide, isAlive, open, panel, signIn } from './support/pages.js';
import { expect, test } from './support/test.js';

test.use({ viewport: { width: 360, height: 640 } });

let world;
test.beforeAll(async () => {
  world = await prepare();
});

for (const [name, visit] of Object.entries(PAGES)) {
  test(`${name} fits on a small screen`, async ({ page }) => {
    await visit(page, world);
    await isAlive(page);
    await expectNoSideways(page);
  });
}

for (const which of ['waiting', 'hostile']) {
  test(`a ${which} proposal can be decided without scrolling`, async ({ page }) => {
    await signIn(page, world.people.rita);
    await open(page, world[which]);
    for (const verdict of ['Approve', 'Reject']) {
      await expect(panel(page).getByRole('button', { name: verdict })).toBeInViewport({ ratio: 1 });
    }
  });
}

test('a refusal is seen at once', async ({ page, context }) => {
  await signIn(page, world.people.rita);
  const proposal = await world.agent.propose();
  const second = await context.newPage();
  await open(page, proposal);
  await open(second, proposal);
  await decide(page, 'Reject');
  await expect(axis(page, 'Decision')).toHaveText('Rejected');
  await decide(second, 'Approve');
  await expect(second.getByRole('alert')).toContainText('This proposal is no longer pending.');
  await expect(second.getByRole('alert')).toBeInViewport();
});
