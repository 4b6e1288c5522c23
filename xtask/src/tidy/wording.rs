//! The checkout speaks of the project alone: nothing that is true on one
//! machine only, and no package registry but the ones a machine is set up for.

use super::Source;

struct Rule {
    text: &'static str,
    why: &'static str,
    /// Files, or folders ending in a slash, where it is right.
    except: &'static [&'static str],
}

const RULES: &[Rule] = &[
    Rule {
        text: "/root/",
        why: "names a path of one machine",
        except: &[],
    },
    Rule {
        text: "/work/",
        why: "names a path of one machine",
        except: &[],
    },
    Rule {
        text: "/workspace/",
        why: "names a path of one machine",
        except: &[],
    },
    Rule {
        text: "../shared",
        why: "names a folder outside the checkout",
        except: &[".ci/run"],
    },
    Rule {
        text: "//registry.npmjs.org",
        why: "names a registry, which is for the machine to choose",
        except: &[],
    },
    Rule {
        text: "//pypi.org/simple",
        why: "names a registry, which is for the machine to choose",
        except: &[],
    },
    Rule {
        text: "//index.crates.io",
        why: "names a registry, which is for the machine to choose",
        except: &[],
    },
];

const THIS_FILE: &str = "xtask/src/tidy/wording.rs";

pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let sources = sources.iter().filter(|source| source.path != THIS_FILE);
    sources.flat_map(in_file).collect()
}

fn in_file(source: &Source) -> Vec<String> {
    let rules = RULES.iter().filter(|rule| {
        !rule.except.iter().any(|path| {
            source.path == *path || (path.ends_with('/') && source.path.starts_with(path))
        })
    });
    let mut found = Vec::new();
    for rule in rules.filter(|rule| source.text.contains(rule.text)) {
        for (number, line) in (1..).zip(source.text.lines()) {
            if stands_alone(line, rule.text) {
                found.push(format!(
                    "{}:{number}: `{}` {}",
                    source.path, rule.text, rule.why
                ));
            }
        }
    }
    found
}

/// An absolute path is not the end of a longer one: `docs/work/` is no one's root folder.
fn stands_alone(line: &str, text: &str) -> bool {
    line.match_indices(text).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-/}]".contains(c))
            || !text.starts_with('/')
    })
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn machine_paths_and_registries_are_found_with_their_line() {
        let sources = [
            source(
                "README.md",
                "fine\nsee /root/notes\nnpm --registry https://registry.npmjs.org\n",
            ),
            source(".ci/run", "ls ../shared\n"),
            source(
                "docs/a.md",
                "../shared/x, docs/work/y, $HOME/root/z, [sandbox]/work/w\n",
            ),
        ];
        insta::assert_snapshot!(check(&sources).join("\n"), @"
        README.md:2: `/root/` names a path of one machine
        README.md:3: `//registry.npmjs.org` names a registry, which is for the machine to choose
        docs/a.md:1: `../shared` names a folder outside the checkout
        ");
    }
}
