//! Names of refs, revisions and remotes.

use super::GitError;

/// The full name of a branch. With `refs/heads/` in front it cannot be taken
/// for an option, whatever the branch is called.
pub(super) fn branch_ref(branch: &str) -> Result<String, GitError> {
    match problem_with_ref_name(branch) {
        None => Ok(format!("refs/heads/{branch}")),
        Some(problem) => Err(GitError::BadName {
            what: "branch name",
            name: branch.to_owned(),
            problem,
        }),
    }
}

/// The name of a branch that is to be made. git itself makes none that begins
/// with a dash.
pub(super) fn check_new_branch(branch: &str) -> Result<(), GitError> {
    branch_ref(branch)?;
    if branch.starts_with('-') || branch == "HEAD" {
        return Err(GitError::BadName {
            what: "branch name",
            name: branch.to_owned(),
            problem: "git makes no branch of this name",
        });
    }
    Ok(())
}

/// Anything that names a commit or tree, in git's own syntax.
pub(super) fn check_revision(revision: &str) -> Result<&str, GitError> {
    check_word("revision", revision)
}

/// The name or URL of a remote.
pub(super) fn check_remote(remote: &str) -> Result<&str, GitError> {
    check_word("remote", remote)
}

fn check_word<'a>(what: &'static str, word: &'a str) -> Result<&'a str, GitError> {
    let problem = if word.is_empty() {
        "it is empty"
    } else if word.starts_with('-') {
        "it begins with a dash and would be read as an option"
    } else if word.contains(char::is_control) {
        "it contains a control character"
    } else {
        return Ok(word);
    };
    Err(GitError::BadName {
        what,
        name: word.to_owned(),
        problem,
    })
}

/// The rules of `git check-ref-format`, for the part after `refs/heads/`.
fn problem_with_ref_name(name: &str) -> Option<&'static str> {
    let forbidden = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
    if name.is_empty() {
        Some("it is empty")
    } else if name.contains(forbidden) {
        Some("it contains a space, a control character or one of ~ ^ : ? * [ \\")
    } else if name.contains("..") || name.contains("@{") || name == "@" {
        Some("it contains `..` or `@{`, or is `@`")
    } else if name.split('/').any(|part| {
        part.is_empty() || part.starts_with('.') || part.strip_suffix(".lock").is_some()
    }) {
        Some("one of its parts is empty, begins with a dot or ends in `.lock`")
    } else if name.ends_with('.') {
        Some("it ends with a dot")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_never_an_option() {
        insta::assert_snapshot!(check_revision("--output=x").unwrap_err(), @"`--output=x` is not a usable revision: it begins with a dash and would be read as an option");
        assert!(check_revision("main~2^{tree}").is_ok());
        assert!(check_revision("a\nb").is_err());
        assert!(check_revision("").is_err());
    }
}
