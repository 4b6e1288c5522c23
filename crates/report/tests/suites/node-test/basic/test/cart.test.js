const assert = require('node:assert');
const { describe, it, test } = require('node:test');

describe('cart', () => {
  it('adds a thing', () => {}); // PASSES
  it('sums up', () => {
    assert.strictEqual(1 + 1, 3); // FAILS cart > sums up
  });
  it('is for later', { skip: true }, () => {}); // SKIPPED
  it('is to be written', { todo: true }, () => {}); // SKIPPED
  describe('with a voucher', () => {
    it('throws early', () => {
      throw new TypeError('no such voucher'); // FAILS cart > with a voucher > throws early
    });
  });
});
test('waits', async () => {
  await Promise.reject(new Error('too late')); // FAILS waits
});
