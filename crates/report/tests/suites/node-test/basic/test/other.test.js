const assert = require('node:assert');
const { test } = require('node:test');

test('is fine', () => {}); // PASSES
test('differs', () => {
  assert.deepStrictEqual({ a: [1] }, { a: [2] }); // FAILS differs
});
