// Every page in every shape that matters, for what holds of all of them.

import { CONNECTOR, proposeHostile } from './hostile.js';
import { signIn } from './pages.js';
import { PASSWORD, makeWorld } from './world.js';

/** What the pages below show. */
export async function prepare() {
  const people = { olaf: ['reviewer'], rita: ['reviewer'], adam: ['admin'], otto: [] };
  const world = await makeWorld({ people, fourEyes: true });
  const other = await makeWorld({ connector: CONNECTOR });
  const [waiting, decided, hostile] = [await world.agent.propose(), await world.agent.propose(), await proposeHostile(other.agent)];
  return { ...world, waiting, decided, hostile };
}

const seenBy = (who, path) => async (page, world) => {
  await signIn(page, world.people[who]);
  await page.goto(typeof path === 'string' ? path : path(world).approval_url);
};

/** The name of each page, and how somebody comes to see it. */
export const PAGES = {
  'the sign-in': (page) => page.goto('/sign-in?next=/history'),
  'a refused sign-in': async (page) => {
    await page.goto('/sign-in');
    await page.getByLabel('Sign-in name').fill('nobody');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
  },
  'the set-up that is over': (page) => page.goto('/setup?token=x'),
  'the queue': seenBy('rita', '/'),
  'an empty queue': seenBy('otto', '/'),
  'a proposal that can be decided': seenBy('rita', (world) => world.waiting),
  'a proposal of the own agent': seenBy('olaf', (world) => world.waiting),
  'a proposal whose input may not be seen': seenBy('adam', (world) => world.waiting),
  'a proposal that was decided': async (page, world) => {
    await signIn(page, world.people.rita);
    const form = { binding_digest: world.decided.binding_digest, verdict: 'approve', comment: 'Go ahead.' };
    // A second time it is refused, and the page is the same.
    await page.request.post(`${world.decided.approval_url}/decision`, { form });
    await page.goto(world.decided.approval_url);
  },
  'a hostile proposal': seenBy('rita', (world) => world.hostile),
  'the history': seenBy('adam', '/history'),
  'a page that does not exist': seenBy('rita', '/nowhere'),
};
