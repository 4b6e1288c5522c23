//! What branches are called.

use baton_protocol::handoff::{IssueType, Vocabulary};

/// Leaves room for the rest of a path.
const MAX_SLUG: usize = 40;

/// `fix/issue-12-login-crashes`; with a number behind it where that name is
/// taken.
pub(super) fn branch(kind: IssueType, issue: u32, title: &str, again: u32) -> String {
    let group = match kind {
        IssueType::Bug => "fix",
        other => other.word(),
    };
    let name = format!("{group}/issue-{issue}-{}", slug(title));
    match again {
        0 | 1 => name,
        more => format!("{name}-{more}"),
    }
}

/// Small letters, digits and hyphens. A title in other letters has none of them.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    let words = title.split(|c: char| !c.is_ascii_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        if slug.len() + word.len() + 1 > MAX_SLUG {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word.to_ascii_lowercase());
    }
    if slug.is_empty() {
        "work".to_owned()
    } else {
        slug
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_named_after_type_number_and_title() {
        let of = |kind, title: &str| branch(kind, 12, title, 0);
        insta::assert_snapshot!(of(IssueType::Bug, "Login crashes: 'empty' password"), @"fix/issue-12-login-crashes-empty-password");
        insta::assert_snapshot!(of(IssueType::Feature, "User auth"), @"feature/issue-12-user-auth");
        insta::assert_snapshot!(of(IssueType::Chore, "日本語"), @"chore/issue-12-work");
        insta::assert_snapshot!(of(IssueType::Refactor, &"x".repeat(100)), @"refactor/issue-12-work");
        insta::assert_snapshot!(of(IssueType::Enhancement, "../../etc/passwd --force"), @"enhancement/issue-12-etc-passwd-force");
        insta::assert_snapshot!(branch(IssueType::Bug, 1, "a", 3), @"fix/issue-1-a-3");
    }
}
