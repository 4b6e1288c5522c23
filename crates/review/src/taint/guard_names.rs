//! Names of functions and constants that promise something about a value.

/// Methods that ask whether a collection holds a value.
pub(super) const MEMBERSHIP: [&str; 13] = [
    "includes",
    "contains",
    "has",
    "include?",
    "containsKey",
    "contains_key",
    "member?",
    "key?",
    "has_key?",
    "hasOwnProperty",
    "Contains",
    "indexOf",
    "hasOwn",
];

/// Methods that ask a value whether it consists of letters and digits.
pub(super) const CHARACTER_TESTS: [&str; 8] = [
    "isdigit",
    "isalnum",
    "isalpha",
    "isdecimal",
    "isnumeric",
    "isidentifier",
    "is_alphanumeric",
    "isNumeric",
];

/// Methods that match a regular expression on their receiver or argument.
pub(super) const MATCHING: [&str; 12] = [
    "test",
    "match",
    "fullmatch",
    "matches",
    "match?",
    "MatchString",
    "is_match",
    "Match",
    "exec",
    "matchEntire",
    "find",
    "search",
];

/// Ways to ask how a text begins.
pub(super) const PREFIX_TESTS: [&str; 10] = [
    "startsWith",
    "startswith",
    "starts_with",
    "start_with?",
    "starts_with?",
    "HasPrefix",
    "is_relative_to",
    "isRelativeTo",
    "commonpath",
    "IsLocal",
];

/// `ALLOWED_TABLES`.
pub(super) fn is_constant_name(name: &str) -> bool {
    name.len() > 1
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// A function whose name promises that "yes" means harmless.
pub(super) fn says_valid(name: &str) -> bool {
    let lower: String = name
        .chars()
        .filter(|c| *c != '_')
        .flat_map(char::to_lowercase)
        .collect();
    [
        "isvalid",
        "isallowed",
        "issafe",
        "isinside",
        "iswithin",
        "allowed",
        "validate",
        "isalphanumeric",
        "whitelist",
        "allowlist",
        "permitted",
        "isauthorized",
        "verify",
        "urlhasallowed",
        "isinteger",
        "isuuid",
        "isint",
        "isnumeric",
        "isemail",
        "islocal",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// A condition or a name about disabling security.
pub(crate) fn says_insecure(text: &str) -> bool {
    let lower: String = text
        .chars()
        .filter(|c| *c != '_')
        .flat_map(char::to_lowercase)
        .collect();
    [
        "secure",
        "unsafe",
        "legacy",
        "selfs",
        "selfcert",
        "verif",
        "certif",
        "trust",
        "skiptls",
        "skipssl",
        "disabletls",
        "disablessl",
        "ignoressl",
        "compat",
        "obsolete",
        "deprecated",
    ]
    .iter()
    .any(|word| lower.contains(word))
}
