// What an agent writes is shown as what it is, and does nothing.

import { CONNECTOR, DATA, REASON, proposeHostile } from './support/hostile.js';
import { open, panel, runsScripts, signIn } from './support/pages.js';
import { expect, test } from './support/test.js';
import { makeWorld } from './support/world.js';

let world;
let proposal;
test.beforeAll(async () => {
  world = await makeWorld({ connector: CONNECTOR });
  proposal = await proposeHostile(world.agent);
});
test.beforeEach(({ page }) => signIn(page, world.people.rita));

/** The row of one of the fields; the canonical call repeats them in another table. */
const row = (page, key) => page.locator('table[data-fields=input]').locator(`tr[data-pointer="/data/${key}"]`);

/** What a person reads in an element: the marks by their characters, without what only explains. */
function readBack(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.nodeType !== Node.ELEMENT_NODE || node.hasAttribute('data-not-text')) return '';
  const { c: code, n: times = '1' } = node.dataset;
  if (code) return String.fromCodePoint(parseInt(code, 16)).repeat(Number(times));
  return [...node.childNodes].map(readBack).join('');
}

test('nothing of it is run, loaded or linked', async ({ page, baseURL }) => {
  const dialogs = [];
  const elsewhere = [];
  page.on('dialog', (dialog) => dialogs.push(dialog.message()) && dialog.dismiss());
  page.on('request', (request) => request.url().startsWith(`${baseURL}/`) || elsewhere.push(request.url()));
  await open(page, proposal);
  await page.getByText('Canonical bytes').click();
  await page.getByText('The call as it would be sent').click();

  expect(dialogs).toEqual([]);
  expect(elsewhere).toEqual([]);
  await expect(page.locator('img, iframe, object, embed, base, style')).toHaveCount(0);
  await expect(page.locator('body script:not([nonce])')).toHaveCount(0);
  const links = await page.getByRole('link').evaluateAll((all) => all.map((link) => link.href));
  expect(links.filter((link) => !link.startsWith(`${baseURL}/`))).toEqual([]);
  const handlers = await page.locator('*').evaluateAll((all) => all.flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on')));
  expect(handlers).toEqual([]);
});

test('every value is whole in the document, exactly', async ({ page }) => {
  await open(page, proposal);
  for (const [key, value] of Object.entries(DATA)) {
    if (typeof value === 'object' && value !== null) continue;
    const read = await row(page, key).locator('[data-value]').evaluate(readBack);
    expect(read, key).toBe(String(value));
  }
  const reason = page.getByRole('region', { name: "The agent's own words" }).getByRole('blockquote');
  expect(await reason.evaluate(readBack)).toBe(REASON);
});

test('what deceives is marked and counted', async ({ page }) => {
  await open(page, proposal);
  for (const [key, ...says] of [
    ['file', 'invoice‹U+202E›fdp.exe', '1 bidirectional override'],
    ['payee', 'pay‹U+200B›ee‹U+FEFF›', '2 zero-width characters'],
    ['tags', 'ok‹U+E0068›‹U+E0069›', '2 hidden tag characters'],
    ['host', '1 look-alike address'],
    ['padded', 'safe‹300 spaces›--force', '1 long run of blanks'],
    ['long', / more of 200,000 characters, 19 .*hidden characters/, '19 zero-width characters'],
    ['lines', 'more of 51 characters in 42 lines'],
  ]) {
    for (const said of says) await expect(row(page, key), key).toContainText(said);
  }
  const asked = page.getByRole('region', { name: 'Who asks, and where it would be written' });
  await expect(asked).toContainText('xn--80ak6aa92e.com');
  await expect(asked).toContainText('1 punycode host');
  const reason = page.getByRole('region', { name: "The agent's own words" });
  await expect(reason).toContainText('Approved by‹space›‹U+202E›atiR');
  await expect(reason).toContainText('1 bidirectional override');
  await expect(reason).toContainText('Nobody has verified them');
});

test('a number, a text, nothing and an empty text are told apart', async ({ page }) => {
  await open(page, proposal);
  for (const [key, said] of [
    ['one', '1number'],
    ['one_text', '"1"text'],
    ['yes', 'truetrue or false'],
    ['yes_text', '"true"text'],
    ['nothing', 'nullno value'],
    ['nothing_text', '"null"text'],
    ['empty', '""text, empty'],
    ['empty_object', '{ } no fieldsobject'],
    ['empty_list', '[ ] no itemslist'],
  ]) {
    await expect(row(page, key).getByRole('cell'), key).toHaveText(said);
  }
  await expect(row(page, '').getByRole('rowheader')).toHaveText('‹empty key›');
  await expect(row(page, '0').getByRole('rowheader')).toHaveText('0');
  await expect(row(page, 'a\u202eb').getByRole('rowheader')).toContainText('a‹U+202E›b');
});

test('sixty levels are all there, and the deepest says how deep it is', async ({ page }) => {
  await open(page, proposal);
  const deepest = page.getByRole('row').filter({ hasText: '"at the bottom"' }).first();
  await expect(deepest).toContainText('level 62');
  await expect(deepest.getByRole('rowheader')).toContainText('deeper');
  const levels = page.locator('table[data-fields=input]').getByRole('row').filter({ hasText: 'deeper' });
  await expect(levels).toHaveCount(60);
});

test('it can be checked and rejected like any other', async ({ page }) => {
  await open(page, proposal);
  if (runsScripts()) await expect(panel(page)).toContainText('Checked in this browser');
  await expect(panel(page).getByRole('button', { name: 'Approve' })).toBeEnabled();
  await expect(panel(page).getByRole('button', { name: 'Reject' })).toBeEnabled();
});
