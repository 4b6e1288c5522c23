const assert = require('node:assert');

describe('other', () => {
  it('is fine', () => {}); // PASSES
  it('differs', () => {
    assert.deepStrictEqual({ a: [1] }, { a: [2] }); // FAILS other differs
  });
});
