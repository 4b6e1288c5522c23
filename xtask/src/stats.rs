//! `cargo xtask stats`: size, comments, tests and wording of this source and of
//! others, in one table.

use std::fs;
use std::path::Path;

use crate::failure::Failure;
use crate::program::Program;
use crate::project::Project;

/// Words that `docs` and code leave out in favour of plain ones.
const DIALECT: [&str; 4] = ["nobody", "somebody", "whoever", "anew"];

/// Constructors are called `new`, `from_x` or `for_x`.
const OF_FUNCTIONS: [&str; 3] = [" fn of(", " fn of<", " fn of_"];

/// Prints a table with this source and those of the folders.
pub(crate) fn print(project: &Project, others: &[String]) -> Result<(), Failure> {
    let mut columns = vec![("baton".to_owned(), Stats::measure(&project.root)?)];
    for folder in others {
        let path = Path::new(folder);
        let name = path
            .file_name()
            .map_or(folder.clone(), |name| name.to_string_lossy().into_owned());
        columns.push((name, Stats::measure(path)?));
    }
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    println!("| | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    for (name, show) in ROWS {
        let values: Vec<String> = columns.iter().map(|(_, stats)| show(stats)).collect();
        println!("| {name} | {} |", values.join(" | "));
    }
    Ok(())
}

type Row = (&'static str, fn(&Stats) -> String);

const ROWS: &[Row] = &[
    ("product source without tests, kLOC", |stats| {
        thousands(stats.product.all())
    }),
    ("comment density", |stats| {
        let product = &stats.product;
        percent(product.comments, product.comments + product.code)
    }),
    ("tests : source", |stats| {
        ratio(stats.tests.all(), stats.product.all())
    }),
    ("file, median / p90 lines", |stats| spread(&stats.files)),
    ("function, median / p90 lines", |stats| {
        spread(&stats.functions)
    }),
    ("nobody, somebody, whoever, anew", |stats| {
        stats.dialect.to_string()
    }),
    ("functions called `of`, `of_*`", |stats| {
        stats.of_functions.to_string()
    }),
];

#[derive(Default)]
struct Lines {
    code: usize,
    comments: usize,
    blank: usize,
}

impl Lines {
    fn add(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            self.blank += 1;
        } else if line.starts_with("//") {
            self.comments += 1;
        } else {
            self.code += 1;
        }
    }

    fn all(&self) -> usize {
        self.code + self.comments + self.blank
    }
}

#[derive(Default)]
struct Stats {
    product: Lines,
    tests: Lines,
    /// Lines of each file and function of the product, in order.
    files: Vec<usize>,
    functions: Vec<usize>,
    dialect: usize,
    of_functions: usize,
}

impl Stats {
    /// Of all files of Rust that git knows below a folder.
    fn measure(root: &Path) -> Result<Self, Failure> {
        let listed = Program::new("git")
            .args(["ls-files", "-z", "--", "*.rs"])
            .current_dir(root)
            .run_quietly()?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let mut stats = Self::default();
        for path in listed.split_terminator('\0') {
            let doing = format!("read {path}");
            let text = fs::read_to_string(root.join(path)).map_err(Failure::could_not(doing))?;
            let words = text.split(|letter: char| !letter.is_alphanumeric());
            stats.dialect += words.filter(|word| is_dialect(word)).count();
            if is_test(path) {
                text.lines().for_each(|line| stats.tests.add(line));
                continue;
            }
            let before = stats.product.all();
            let product = stats.split(&text);
            let spaced = product.replace('\n', " ");
            let count = |name: &&str| spaced.matches(*name).count();
            stats.of_functions += OF_FUNCTIONS.iter().map(count).sum::<usize>();
            stats.functions.extend(functions(&product));
            let lines = stats.product.all() - before;
            stats.files.push(lines);
        }
        stats.files.sort_unstable();
        stats.functions.sort_unstable();
        Ok(stats)
    }

    /// Counts a file, and gives back what is not its module of tests, which
    /// stands at its end.
    fn split(&mut self, text: &str) -> String {
        let mut is_test = false;
        let mut product = String::new();
        for line in text.lines() {
            is_test |= line == "#[cfg(test)]";
            if is_test {
                self.tests.add(line);
            } else {
                self.product.add(line);
                product.push_str(line);
                product.push('\n');
            }
        }
        product
    }
}

fn is_dialect(word: &str) -> bool {
    DIALECT.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Files that only tests, benchmarks and the project's own commands are made of.
fn is_test(path: &str) -> bool {
    const FOLDERS: [&str; 6] = ["tests", "benches", "examples", "fuzz", "testkit", "testing"];
    let mut parts = path.split('/');
    parts.any(|part| FOLDERS.contains(&part) || part.ends_with("tests.rs"))
        || path.starts_with("xtask/")
}

/// How many lines each function has, by the indentation of its ends.
fn functions(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    for (at, line) in text.lines().enumerate() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        if let Some((start, own)) = open {
            if indent == own && code.starts_with('}') {
                found.push(at - start + 1);
                open = None;
            }
        } else if is_function(code) && !code.ends_with(';') {
            if code.ends_with('}') {
                found.push(1);
            } else {
                open = Some((at, indent));
            }
        }
    }
    found
}

fn is_function(code: &str) -> bool {
    const WORDS: [&str; 6] = ["pub", "async", "const", "unsafe", "extern", "default"];
    for word in code.split_whitespace() {
        if word == "fn" {
            return true;
        }
        if !WORDS.iter().any(|known| word.starts_with(known)) {
            return false;
        }
    }
    false
}

fn thousands(count: usize) -> String {
    format!("{}.{}", count / 1000, count % 1000 / 100)
}

fn percent(part: usize, whole: usize) -> String {
    format!("{} %", part * 100 / whole.max(1))
}

fn ratio(part: usize, whole: usize) -> String {
    let hundredths = part * 100 / whole.max(1);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

fn spread(sorted: &[usize]) -> String {
    let at = |share: usize| sorted.get(sorted.len() * share / 100).copied();
    format!(
        "{} / {}",
        at(50).unwrap_or_default(),
        at(90).unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_measured_from_head_to_brace() {
        let text = "fn one() {}\n\npub(crate) async fn two(\n    a: u8,\n) {\n    a;\n}\n\ntrait T {\n    fn none(&self);\n    fn three(&self) {\n    }\n}\n";
        assert_eq!(functions(text), [1, 5, 2]);
    }

    #[test]
    fn the_module_of_tests_is_no_product() {
        let mut stats = Stats::default();
        let product = stats.split("//! Says.\nfn a() {}\n\n#[cfg(test)]\nmod tests {\n}\n");
        assert_eq!(product, "//! Says.\nfn a() {}\n\n");
        assert_eq!((stats.product.all(), stats.tests.all()), (3, 3));
    }
}
