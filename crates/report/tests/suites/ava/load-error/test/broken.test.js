const test = require('ava');
require('./no-such-file'); // ERRORS ?
test('is fine', t => t.pass());
