//! What may be a name in a repository.

/// Whether git would accept a ref of this full name (`refs/heads/x`).
pub(crate) fn is_ref(name: &str) -> bool {
    name.starts_with("refs/") && name.matches('/').count() >= 2 && is_well_formed(name)
}

/// Whether a branch may be called this.
pub(crate) fn is_branch(name: &str) -> bool {
    !name.starts_with('-') && name != "HEAD" && is_well_formed(name)
}

/// A name or id without any of git's operators, so that it means what it says.
pub(crate) fn is_plain_revision(name: &str) -> bool {
    !name.starts_with('-') && is_well_formed(name)
}

/// A path inside a tree, with no way out of it.
pub(crate) fn is_tree_path(path: &str) -> bool {
    !path.contains('\0')
        && path
            .split('/')
            .all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"))
}

/// The rules of `git check-ref-format --allow-onelevel`.
fn is_well_formed(name: &str) -> bool {
    let forbidden = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
    !name.is_empty()
        && name.len() <= 1024
        && name != "@"
        && !name.contains(forbidden)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_and_options_are_no_names() {
        for name in ["main", "feature/x", "v1.0", "a-b", "ünïcode"] {
            assert!(is_branch(name), "{name}");
            assert!(is_plain_revision(name), "{name}");
        }
        for name in [
            "", "-x", "a..b", "a~1", "a^{tree}", "a:b", "@", "x.lock", "a//b", ".a", "a b", "a\nb",
            "a@{1}", "a.",
        ] {
            assert!(!is_branch(name), "{name}");
            assert!(!is_plain_revision(name), "{name}");
        }
        assert!(is_ref("refs/heads/main"));
        assert!(!is_ref("heads/main"));
        assert!(!is_ref("refs/main"));
    }

    #[test]
    fn a_tree_path_stays_inside() {
        assert!(is_tree_path("src/lib.rs"));
        for path in ["", "/etc", "../x", "a/../b", ".git/config", "a//b", "a\0b"] {
            assert!(!is_tree_path(path), "{path}");
        }
    }
}
