const { suite } = require('uvu');
const assert = require('uvu/assert');

const cart = suite('cart');
cart('adds a thing', () => {}); // PASSES
cart('sums up', () => {
  assert.is(1 + 1, 3); // FAILS cart sums up
});
cart.skip('is for later', () => {}); // SKIPPED
cart('throws early', () => {
  throw new TypeError('no such voucher'); // FAILS cart throws early
});
cart.run();
