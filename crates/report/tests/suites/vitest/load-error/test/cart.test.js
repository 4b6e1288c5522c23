import assert from 'node:assert';
import { describe, it } from 'vitest';

describe('cart', () => {
  it('adds a thing', () => {}); // PASSES
});
