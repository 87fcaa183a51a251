// The steps of the story: each is printed with its time, and the first that
// fails ends it, since every one builds on those before.

import { performance } from 'node:perf_hooks';

const began = performance.now();
let passed = 0;

export class StepFailed extends Error {}

// step(NAME, WORK): what WORK returns is the step's result.
export async function step(name, work) {
  const from = performance.now();
  let result;
  try {
    result = await work();
  } catch (error) {
    console.log(line('FAILED', from, name));
    throw new StepFailed(name, { cause: error });
  }
  passed += 1;
  console.log(line('ok', from, name));
  return result;
}

// What script/test reads.
export function closingLine(failed) {
  return `\nin ${seconds(began)}: ${passed} passed, ${failed} failed`;
}

function line(word, from, name) {
  return `${word.padEnd(6)} ${seconds(from).padStart(7)}  ${name}`;
}

function seconds(from) {
  return `${((performance.now() - from) / 1000).toFixed(2)} s`;
}
