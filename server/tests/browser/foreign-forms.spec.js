// A page of another origin sends forms here, and nothing comes of it.

import { signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { makeWorld } from './support/world.js';

let world;
test.beforeAll(async () => {
  world = await makeWorld();
});

const form = (action, fields) => {
  const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
  return `<!doctype html><form method="post" action="${action}">${inputs.join('')}<button>Win a prize</button></form>`;
};

async function sendFrom(page, origin, body) {
  await page.route(origin, (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(origin);
  await page.getByRole('button', { name: 'Win a prize' }).click();
}

// The first is of the same site, to which the browser sends the cookie.
for (const origin of ['http://127.0.0.1:9999/', 'http://elsewhere.example/']) {
  test(`a decision sent from ${origin} is none`, async ({ page }) => {
    await signIn(page, world.people.rita);
    const proposal = await world.agent.propose();
    const fields = { binding_digest: proposal.binding_digest, verdict: 'approve', comment: '' };
    await sendFrom(page, origin, form(`${proposal.approval_url}/decision`, fields));
    await expect(page.getByText('This was sent from a page of another site, and nothing was done.')).toBeVisible();
    expect(await world.agent.get(proposal)).toMatchObject({ state: 'pending', comments: [] });
  });

  test(`a sign-out sent from ${origin} is none`, async ({ page, baseURL }) => {
    await signIn(page, world.people.rita);
    await sendFrom(page, origin, form(`${baseURL}/sign-out`, {}));
    await expect(page.getByText('nothing was done')).toBeVisible();
    await page.goto('/');
    await expect(page.getByRole('banner')).toContainText(world.people.rita.name);
  });
}
