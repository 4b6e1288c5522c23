use crate::git::{self, Person};

/// The author, then those whom the message thanks in `Co-authored-by` lines.
pub(super) fn authors(commit: &git::Commit) -> Vec<Person> {
    let mut found = vec![commit.author.clone()];
    for line in commit.message.lines() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        if !key.eq_ignore_ascii_case("co-authored-by") {
            continue;
        }
        let Some((name, email)) = value
            .trim()
            .strip_suffix('>')
            .and_then(|v| v.split_once('<'))
        else {
            continue;
        };
        if found.iter().all(|known| known.email != email) {
            found.push(Person {
                name: name.trim().to_owned(),
                email: email.to_owned(),
                date: commit.author.date.clone(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use baton_host::git::Oid;

    use super::*;

    #[test]
    fn those_who_helped_are_authors_too() {
        let person = |name: &str, email: &str| Person {
            name: name.to_owned(),
            email: email.to_owned(),
            date: "2026-01-31T12:00:00Z".to_owned(),
        };
        let octo = person("Octo", "octo@example.invalid");
        let commit = git::Commit {
            oid: Oid::parse(&"a".repeat(40)).unwrap(),
            tree: Oid::parse(&"b".repeat(40)).unwrap(),
            parents: Vec::new(),
            author: octo.clone(),
            committer: octo.clone(),
            signature: None,
            message: "Fix\n\nCo-authored-by: Re Viewer <reviewer@example.invalid>\n\
                      co-authored-by: Octo <octo@example.invalid>\nCo-authored-by: nobody"
                .to_owned(),
        };
        assert_eq!(
            authors(&commit),
            [octo, person("Re Viewer", "reviewer@example.invalid")]
        );
    }
}
