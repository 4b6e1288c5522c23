const { test } = require('uvu');
test('is fine', () => {}); // PASSES
test('is fine, too', () => {}); // PASSES
test.run();
