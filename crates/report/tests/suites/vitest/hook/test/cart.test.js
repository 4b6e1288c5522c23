import assert from 'node:assert';
import { describe, it } from 'vitest';
import { beforeEach } from 'vitest';
describe('stock', () => {
  beforeEach(() => {
    throw new Error('no database'); // FAILS stock > first ;; stock > second
  });
  it('first', () => {});
  it('second', () => {});
});
describe('rest', () => {
  it('is fine', () => {}); // PASSES
});
