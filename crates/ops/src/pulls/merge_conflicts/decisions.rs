//! What a person has to decide between the merge and the commit, said as a
//! comment among the commands.

use std::path::Path;

use baton_host::cmd::quote;

use super::conflict::Conflict;

/// One line that a shell passes over. No character in it means anything to a
/// shell but inside quotes, as not every interactive one knows comments.
pub(super) fn describe(conflict: &Conflict) -> String {
    let path = name(Path::new(&conflict.shown_path()));
    let kind = plain(&conflict.git_name);
    let decision = match conflict.git_name.as_str() {
        "contents" | "add/add" | "rename involved in collision" => {
            "edit it into what it should be, without any conflict marker".to_owned()
        }
        "modify/delete" | "rename/delete" => {
            "git leaves the changed file, delete it if it should go".to_owned()
        }
        "rename/rename" => format!(
            "git leaves {}, keep one without any conflict marker, delete the other",
            names_left(conflict)
        ),
        "directory rename suggested" => {
            "git puts it into the renamed folder, git mv it if it belongs elsewhere".to_owned()
        }
        "distinct modes" | "file/directory" => {
            let aside = name(Path::new(&format!("{}~", conflict.shown_path())));
            format!(
                "git puts one of the two aside, under a name that begins with {aside}, git mv or delete it"
            )
        }
        "binary" => format!(
            "git leaves the file of this branch, git checkout --theirs -- {path} takes the other"
        ),
        known if known.starts_with("submodule") => format!(
            "check out the wanted commit in it, or record one with {}",
            records(conflict)
        ),
        _ => "make it what it should be".to_owned(),
    };
    format!("# {kind}, {path}: {decision}")
}

/// The names that two renames gave a file.
fn names_left(conflict: &Conflict) -> String {
    let others = conflict.paths.iter().filter(|path| **path != conflict.path);
    let others: Vec<String> = others.map(|path| name(path)).collect();
    others.join(" and ")
}

/// The commands for either side's commit of a submodule, which work without a
/// checkout of it.
fn records(conflict: &Conflict) -> String {
    let [_, target, head] = &conflict.versions;
    let commits = [head, target].into_iter().flatten().map(|commit| {
        let entry = format!("160000,{commit},{}", one_line(&conflict.path));
        format!("git update-index --cacheinfo {}", quote(entry))
    });
    commits.collect::<Vec<_>>().join(" or ")
}

fn name(path: &Path) -> String {
    quote(one_line(path))
}

/// A comment ends where its line does, whatever quotes are open.
fn one_line(path: &Path) -> String {
    path.display().to_string().replace(char::is_control, "?")
}

fn plain(words: &str) -> String {
    words.replace(
        |c: char| !c.is_ascii_alphanumeric() && !"/- ".contains(c),
        "?",
    )
}

#[cfg(test)]
mod tests {
    use baton_host::git::Oid;
    use baton_protocol::tools::detect_merge_conflicts::ConflictType;

    use super::*;

    #[test]
    fn a_name_cannot_leave_its_comment() {
        let id = Oid::parse(&"a1".repeat(20)).unwrap();
        let conflict = Conflict {
            path: "a\ntouch pwned\n'; $(x)".into(),
            paths: Vec::new(),
            kind: ConflictType::Content,
            git_name: "contents".to_owned(),
            tree: id.clone(),
            versions: [None, None, None],
        };
        insta::assert_snapshot!(describe(&conflict), @r"# contents, 'a?touch pwned?'\''; $(x)': edit it into what it should be, without any conflict marker");
    }
}
