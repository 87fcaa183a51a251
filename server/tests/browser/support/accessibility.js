// Whether people can read and use a page.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from './test.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** No serious fault that axe finds, in the light and in the dark. */
export async function expectAccessible(page) {
  // Not as an element of the page: its policy would not let it run.
  await page.evaluate(AXE);
  for (const colorScheme of ['light', 'dark']) {
    // Without motion, since a colour that is still changing is neither.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
    expect(serious.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]), colorScheme).toEqual([]);
  }
}

/** Nothing is cut off at the side or must be scrolled to. */
export async function expectNoSideways(page) {
  const width = page.viewportSize().width;
  expect(await page.evaluate(() => document.scrollingElement.scrollWidth)).toBeLessThanOrEqual(width);
}
