const { test } = require('node:test');

test('adds a thing', () => {}); // PASSES
test('is fine, too', () => {}); // PASSES
