const test = require('ava');
test('adds a thing', t => t.pass()); // PASSES
test('sums up', t => {
  t.is(1 + 1, 3); // FAILS sums up
});
