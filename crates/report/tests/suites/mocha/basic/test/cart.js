const assert = require('node:assert');

describe('cart', () => {
  it('adds a thing', () => {}); // PASSES
  it('sums up', () => {
    assert.strictEqual(1 + 1, 3); // FAILS cart sums up
  });
  it.skip('is for later', () => {}); // SKIPPED
  describe('with a voucher: "spring"', () => {
    it('throws > early', () => {
      throw new TypeError('no such voucher'); // FAILS cart with a voucher: "spring" throws > early
    });
    it('waits', async () => {
      await Promise.reject(new Error('too late\nand more')); // FAILS cart with a voucher: "spring" waits
    });
    for (const n of [1, 2]) {
      it(`counts to ${n}`, () => {}); // PASSES 2
    }
  });
});
