const test = require('ava');

test('is fine', t => t.pass()); // PASSES
test('differs', t => {
  t.deepEqual({ a: [1] }, { a: [2] }); // FAILS differs | other › differs
});
