// Times are shown as the reader reads them, by the server's clock.

import { open, panel, signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { makeWorld } from './support/world.js';

let world;
let proposal;
test.beforeAll(async () => {
  world = await makeWorld();
  proposal = await world.agent.propose();
});
test.beforeEach(({ page }) => signIn(page, world.people.rita));

const deadline = (page) => panel(page).getByRole('definition').filter({ has: page.locator('time') });

for (const { locale, timezoneId, zone } of [
  { locale: 'en-GB', timezoneId: 'Asia/Kolkata', zone: 'GMT+5:30' },
  { locale: 'de-DE', timezoneId: 'America/New_York', zone: 'GMT-5' },
]) {
  test.describe(`in ${timezoneId}`, () => {
    test.use({ locale, timezoneId });

    test(`a deadline is shown in the zone and language of the reader`, async ({ page }) => {
      await open(page, proposal);
      const time = deadline(page).getByRole('time');
      const at = new Date(await time.getAttribute('datetime'));
      const parts = { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' };
      const expected = new Intl.DateTimeFormat(locale, { ...parts, timeZone: timezoneId }).format(at);
      await expect(time).toHaveText(expected);
      await expect(time).toContainText(zone);
      await expect(time).toHaveAttribute('title', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    });
  });
}

test('a wrong clock of the browser does not change how much time is left', async ({ page }) => {
  await page.clock.install({ time: '2031-01-01' });
  await open(page, proposal);
  await expect(deadline(page)).toContainText(/in (3 d|2 d 23 h)/);
  await page.clock.fastForward('01:00:10');
  await expect(deadline(page)).toContainText('in 2 d 22 h');
});
