import { describe, expect, it, test } from 'bun:test';

describe('cart', () => {
  it('adds a thing', () => {}); // PASSES
  it('sums up', () => {
    expect(1 + 1).toBe(3); // FAILS cart > sums up
  });
  it.skip('is for later', () => {}); // SKIPPED
  it.todo('is to be written'); // SKIPPED
  describe('with a voucher', () => {
    it('throws early', () => {
      throw new TypeError('no such voucher'); // FAILS cart > with a voucher > throws early
    });
  });
});
test('waits', async () => {
  await Promise.reject(new Error('too late')); // FAILS waits
});
