import { expect, test } from 'bun:test';

test('is fine', () => {}); // PASSES
test('is fine, too', () => {}); // PASSES
