// No page of another origin shows one of ours inside of it.

import { signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { makeWorld } from './support/world.js';

let world;
let proposal;
test.beforeAll(async () => {
  world = await makeWorld();
  proposal = await world.agent.propose();
});

// The first is of the same site, to which the browser sends the cookie.
for (const around of ['http://127.0.0.1:9999/', 'http://elsewhere.example/']) {
  test(`a page at ${around} cannot frame a proposal`, async ({ page, complaints }) => {
    await signIn(page, world.people.rita);
    const body = `<iframe src="${proposal.approval_url}"></iframe>`;
    await page.route(around, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(around);
    const [, frame] = page.frames();
    await expect.poll(() => frame.url()).toBe('chrome-error://chromewebdata/');
    await expect(frame.getByText('Create a contact')).toHaveCount(0);
    complaints.length = 0;
  });
}
