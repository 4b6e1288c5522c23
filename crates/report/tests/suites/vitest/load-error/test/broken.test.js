import './no-such-file.js'; // ERRORS ?
