// A person at a browser.

import { chromium } from '@playwright/test';
import { setTimeout as pause } from 'node:timers/promises';

// For longer than this a page must be in view before it decides.
const LOOKS_AT_IT = 1_000;
const PATIENCE = 15_000;

export async function openBrowser() {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    // The story itself stops what it started.
    handleSIGINT: false,
    handleSIGTERM: false,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export class Person {
  // Somebody at a browser that has never been here.
  static async at(browser, credentials, { javaScriptEnabled = true } = {}) {
    const context = await browser.newContext({ javaScriptEnabled });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    return new Person(page, credentials, javaScriptEnabled);
  }

  constructor(page, credentials, javaScript) {
    Object.assign(this, { page, credentials, javaScript, complaints: [] });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
  }

  // Returns the status.
  async open(url) {
    return (await this.page.goto(url)).status();
  }

  path() {
    return new URL(this.page.url()).pathname;
  }

  async setUp(link) {
    await this.open(link);
    await this.page.getByLabel('Your name').fill(this.credentials.name);
    await this.fillIn();
    await this.press('Set up Countersign');
  }

  async signIn() {
    await this.fillIn();
    await this.press('Sign in');
  }

  async fillIn() {
    await this.page.getByLabel('Sign-in name').fill(this.credentials.login);
    await this.page.getByLabel('Password').fill(this.credentials.password);
  }

  // What the browser itself found about the page: 'ok' or 'failed'.
  async browsersCheck() {
    const check = this.page.locator('[data-check][data-alive="true"]');
    await check.waitFor();
    return { word: await check.getAttribute('data-check'), text: await check.innerText() };
  }

  // Shown in groups; without the spaces.
  async digestShown() {
    return (await this.page.locator('[data-shown="input-digest"]').innerText()).replace(/\s/g, '');
  }

  async decide(button, comment) {
    if (comment) await this.page.getByLabel('Comment').fill(comment);
    if (this.javaScript) await pause(LOOKS_AT_IT);
    await this.press(button);
  }

  // Every one of these sends a form and leads to a new document.
  async press(name) {
    const before = this.page.waitForEvent('load');
    await this.page.getByRole('button', { name, exact: true }).click();
    await before;
  }

  async text() {
    return this.page.locator('main').innerText();
  }
}
