// Every island of every page comes alive, and the browser's console stays silent,
// which is asked of every test.

import { PAGES, prepare } from './support/every-page.js';
import { isAlive } from './support/pages.js';
import { test } from './support/test.js';

test('on every page each island is alive', async ({ page }) => {
  const world = await prepare();
  for (const [name, visit] of Object.entries(PAGES)) {
    await test.step(name, async () => {
      await visit(page, world);
      await isAlive(page);
      await page.context().clearCookies();
    });
  }
});
