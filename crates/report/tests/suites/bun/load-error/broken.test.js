import './no-such-file'; // ERRORS ?
