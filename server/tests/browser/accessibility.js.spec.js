// Every page, held against what axe-core knows of accessibility. It is a script
// itself; the pages have the same elements without.

import { expectAccessible } from './support/accessibility.js';
import { PAGES, prepare } from './support/every-page.js';
import { isAlive } from './support/pages.js';
import { test } from './support/test.js';

let world;
test.beforeAll(async () => {
  world = await prepare();
});

for (const [name, visit] of Object.entries(PAGES)) {
  test(`${name} can be used by everybody`, async ({ page }) => {
    await visit(page, world);
    await isAlive(page);
    await expectAccessible(page);
  });
}
