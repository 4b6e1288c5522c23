//! Reads the directives of go.mod and go.work.

use super::MAX_ENTRIES;

/// The path in the `module` line of a go.mod.
pub fn go_mod_module(text: &str) -> Option<String> {
    directives(text, "module").into_iter().next()
}

/// The module paths that a go.mod requires, and the packages it declares as tools.
pub fn go_mod_requires(text: &str) -> Vec<String> {
    let mut paths = directives(text, "require");
    paths.extend(directives(text, "tool"));
    paths
}

/// The folders in the `use` lines of a go.work.
pub fn go_work_uses(text: &str) -> Vec<String> {
    directives(text, "use")
}

/// The first argument of each `verb argument` line, also in the block form
/// `verb ( … )`.
fn directives(text: &str, verb: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if found.len() >= MAX_ENTRIES {
            break;
        }
        if in_block {
            if line == ")" {
                in_block = false;
            } else {
                found.extend(first_argument(line));
            }
        } else if let Some(rest) = line.strip_prefix(verb) {
            let argument = rest.trim_start();
            if argument == "(" {
                in_block = true;
            } else if argument.len() < rest.len() {
                found.extend(first_argument(argument));
            }
        }
    }
    found
}

fn first_argument(text: &str) -> Option<String> {
    let word = match text.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => text.split_whitespace().next()?,
    };
    (!word.is_empty()).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_lines_and_blocks() {
        let text = "module example.org/pump // x\ngo 1.24\nrequire (\n\tgithub.com/a/b v1.2.0\n)\n\
                    require github.com/c/d v0.1.0\ntool gotest.tools/gotestsum\n";
        assert_eq!(go_mod_module(text).as_deref(), Some("example.org/pump"));
        assert_eq!(
            go_mod_requires(text),
            ["github.com/a/b", "github.com/c/d", "gotest.tools/gotestsum"]
        );
        assert_eq!(
            go_work_uses("go 1.24\nuse ./a\nuse (\n ./b\n \"./c d\"\n)\n"),
            ["./a", "./b", "./c d"]
        );
    }
}
