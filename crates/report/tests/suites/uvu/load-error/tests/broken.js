const { test } = require('uvu');
require('./no-such-file'); // ERRORS ?
test.run();
