import assert from 'node:assert';
import { describe, it } from 'vitest';

describe('other', () => {
  it('is fine', () => {}); // PASSES
  it('differs', () => {
    assert.deepStrictEqual({ a: [1] }, { a: [2] }); // FAILS other > differs
  });
});
