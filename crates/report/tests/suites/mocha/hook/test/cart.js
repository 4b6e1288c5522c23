const assert = require('node:assert');

describe('stock', () => {
  beforeEach(() => {
    throw new Error('no database'); // FAILS stock "before each" hook for "first"
  });
  it('first', () => {});
  it('second', () => {});
});
describe('rest', () => {
  it('is fine', () => {}); // PASSES
});
