import { expect, test } from 'bun:test';

test('is fine', () => {}); // PASSES
test('differs', () => {
  expect({ a: [1] }).toEqual({ a: [2] }); // FAILS differs
});
