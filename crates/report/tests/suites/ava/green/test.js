const test = require('ava');
test('adds a thing', t => t.pass()); // PASSES
test('sums up', t => t.pass()); // PASSES
