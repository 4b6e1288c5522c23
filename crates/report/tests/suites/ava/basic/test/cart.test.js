const test = require('ava');

test('adds a thing', t => t.pass()); // PASSES
test('sums up', t => {
  t.is(1 + 1, 3); // FAILS sums up | cart › sums up
});
test('throws early', () => {
  throw new TypeError('no such voucher'); // FAILS throws early | cart › throws early
});
test('waits', async () => {
  await Promise.reject(new Error('too late')); // FAILS waits | cart › waits
});
test.skip('is for later', t => t.pass()); // SKIPPED
test.todo('is to be written'); // SKIPPED
test.failing('is broken', t => t.fail()); // SKIPPED
