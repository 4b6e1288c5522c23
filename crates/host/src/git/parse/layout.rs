//! Parses the basic facts that `git rev-parse` prints.

use std::path::PathBuf;

use super::path;

/// The first facts about a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub bare: bool,
    pub inside_work_tree: bool,
    pub shallow: bool,
    pub git_dir: PathBuf,
}

/// Reads `git rev-parse --is-bare-repository --is-inside-work-tree
/// --is-shallow-repository --absolute-git-dir`. The path is last because it may
/// have line breaks in it.
pub fn layout(bytes: &[u8]) -> Option<Layout> {
    let mut lines = bytes.strip_suffix(b"\n")?.splitn(4, |&byte| byte == b'\n');
    Some(Layout {
        bare: boolean(lines.next()?)?,
        inside_work_tree: boolean(lines.next()?)?,
        shallow: boolean(lines.next()?)?,
        git_dir: path(lines.next().filter(|path| !path.is_empty())?),
    })
}

fn boolean(word: &[u8]) -> Option<bool> {
    match word {
        b"true" => Some(true),
        b"false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_path_may_have_line_breaks() {
        let layout = layout(b"false\ntrue\nfalse\n/a\nb/.git\n").unwrap();
        assert!(layout.inside_work_tree);
        assert_eq!(layout.git_dir, Path::new("/a\nb/.git"));
    }

    #[test]
    fn a_cut_answer_is_none() {
        assert_eq!(layout(b"false\ntrue\nfalse\n"), None);
        assert_eq!(layout(b"maybe\ntrue\nfalse\n/a\n"), None);
    }
}
