import "./no_such_file.js"; // ERRORS ?
