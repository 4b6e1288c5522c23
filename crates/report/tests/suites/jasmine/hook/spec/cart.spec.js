const assert = require('node:assert');

describe('stock', () => {
  beforeEach(() => {
    throw new Error('no database'); // FAILS stock first ;; stock second
  });
  it('first', () => {});
  it('second', () => {});
});
describe('rest', () => {
  it('is fine', () => {}); // PASSES
});
