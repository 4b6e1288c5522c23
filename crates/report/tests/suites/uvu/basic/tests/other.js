const { test } = require('uvu');
const assert = require('uvu/assert');

test('is fine', () => {}); // PASSES
test('differs', () => {
  assert.equal({ a: [1] }, { a: [2] }); // FAILS differs
});
test.run();
