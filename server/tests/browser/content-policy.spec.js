// Every page says what it may load, keeps to it, and holds no style or script
// that the policy does not know.

import { PAGES, prepare } from './support/every-page.js';
import { isAlive } from './support/pages.js';
import { expect, test } from './support/test.js';

let world;
test.beforeAll(async () => {
  world = await prepare();
});

// That the browser reports no breach is asked of every test.
for (const [name, visit] of Object.entries(PAGES)) {
  test(`${name} keeps to its policy`, async ({ page }) => {
    let document;
    page.on('response', (response) => {
      if (response.request().isNavigationRequest() && response.status() !== 303) document = response;
    });
    await visit(page, world);
    await isAlive(page);

    const policy = (await document.allHeaders())['content-security-policy'];
    const nonce = policy.match(/script-src 'nonce-([\w-]{22,})' 'strict-dynamic' 'wasm-unsafe-eval';/)?.[1];
    expect(nonce, policy).toBeDefined();
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe-inline');
    const html = await document.text();
    const scripts = [...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
    expect(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
    // What an agent wrote is escaped, so that a tag here is one of ours. Its values do not matter.
    const tags = [...html.matchAll(/<[a-z][^<>]*>/g)].map(([tag]) => tag.replace(/"[^"]*"/g, '""'));
    expect(tags.filter((tag) => /^<style\b|\sstyle=|\son[a-z]+=/.test(tag))).toEqual([]);
  });
}
