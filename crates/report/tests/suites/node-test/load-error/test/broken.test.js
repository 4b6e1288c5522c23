require('./no-such-file'); // FAILS ?
