//! What a finding is about, in words that are the same for every scanner.

/// The class of a weakness by its number in the CWE list. Scanners number the
/// same mistake more or less exactly, so neighbours share a class; what is in
/// none is compared by its number alone.
pub(super) const fn class(cwe: u32) -> Option<&'static str> {
    Some(match cwe {
        89 | 564 | 943 => "SQL and NoSQL injection",
        77 | 78 | 88 => "command injection",
        94 | 95 | 96 | 470 | 1336 => "code and template injection",
        22 | 23 | 36 | 73 => "path traversal",
        79 | 80 | 83 | 116 => "cross-site scripting",
        90 => "LDAP injection",
        91 | 643 => "XPath injection",
        93 | 113 | 117 => "log and header injection",
        918 => "request forgery by the server",
        352 => "request forgery across sites",
        601 => "open redirect",
        501 => "trust boundary",
        502 => "unsafe deserialisation",
        611 | 776 | 827 => "XML entities",
        915 | 1321 => "prototype pollution",
        200 | 209 | 215 | 489 | 497 => "told too much",
        256 | 259 | 321 | 798 => "hard-coded credentials",
        312 | 313 | 522 | 532 => "secret in the clear",
        326..=329 | 916 | 1204 => "weak cryptography",
        330 | 335 | 336 | 338 => "weak randomness",
        295..=297 | 319 | 599 | 757 => "weak TLS",
        614 | 1004 | 1275 => "insecure cookie",
        345 | 347 => "unverified signature",
        346 | 942 => "cross-origin wildcard",
        377..=379 => "temporary file",
        276 | 732 => "permissions",
        409 | 730 | 770 | 1333 => "exhaustion",
        _ => return None,
    })
}

pub(super) fn is_same(a: u32, b: u32) -> bool {
    a == b || class(a).is_some_and(|a| Some(a) == class(b))
}

/// The same number for the same class.
pub(super) fn representative(cwe: u32) -> u32 {
    let same = |other: &u32| is_same(*other, cwe);
    (1..=cwe).find(same).unwrap_or(cwe)
}

pub(super) fn name(cwe: u32) -> &'static str {
    class(cwe).unwrap_or("all others")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_the_same_and_strangers_only_themselves() {
        assert!(is_same(327, 328));
        assert!(is_same(1, 1));
        assert!(!is_same(1, 2));
        assert!(!is_same(89, 79));
        assert_eq!((representative(328), representative(999)), (326, 999));
        assert_eq!(name(1), "all others");
    }
}
