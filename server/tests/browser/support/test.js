// What every spec is written with: Playwright's test, whose pages may not
// complain.

import { test as base, expect } from '@playwright/test';

export { expect };

export const test = base.extend({
  /**
   * What the browser complained of: errors of scripts, breaches of the content
   * policy, files that did not come. It must stay empty. A test that provokes
   * one takes it out.
   */
  complaints: [
    async ({ context }, use) => {
      const complaints = [];
      context.on('weberror', (error) => complaints.push(String(error.error())));
      context.on('console', (message) => {
        const isComplaint = ['error', 'warning'].includes(message.type());
        if (isComplaint && !isRefusalOfPage(message) && !isUnusedPreload(message)) complaints.push(message.text());
      });
      await use(complaints);
      expect(complaints, 'the browser complains').toEqual([]);
    },
    { auto: true },
  ],
});

/** Chromium reports a page that comes with the status of a refusal; it shows it all the same. */
function isRefusalOfPage(message) {
  const isFile = new URL(message.location().url || 'about:blank').pathname.startsWith('/pkg/');
  return /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text()) && !isFile;
}

/** Without JavaScript nothing asks for what the page announces. */
function isUnusedPreload(message) {
  return !base.info().project.use.javaScriptEnabled && message.text().includes('was preloaded using link preload but not used');
}
