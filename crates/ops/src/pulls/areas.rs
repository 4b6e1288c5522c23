//! Which part of a system a file belongs to, by its path and, where that says
//! too little, by its content.

use baton_protocol::tools::analyze_pr_impact::ImpactCategory as Area;

use super::change::{File, extension, file_name};

/// Where a file belongs.
pub(super) fn classify(file: &File) -> Area {
    let added = file
        .hunks()
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .map(|line| line.text.as_str());
    by_path(&file.path).unwrap_or_else(|| by_content(&file.path, added))
}

const DOCUMENTS: [&str; 7] = ["md", "mdx", "rst", "adoc", "txt", "org", "tex"];
const FRONT: [&str; 11] = [
    "css", "scss", "sass", "less", "html", "htm", "vue", "svelte", "jsx", "tsx", "astro",
];
const SCRIPT: [&str; 6] = ["js", "ts", "mjs", "cjs", "mts", "cts"];
const BUILD_FILES: [&str; 24] = [
    "dockerfile",
    "containerfile",
    "makefile",
    "justfile",
    "jenkinsfile",
    "procfile",
    "vagrantfile",
    "cargo.toml",
    "cargo.lock",
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "go.mod",
    "go.sum",
    "pyproject.toml",
    "poetry.lock",
    "uv.lock",
    "requirements.txt",
    "pom.xml",
    "gemfile",
    "gemfile.lock",
    "codeowners",
];

/// What the path alone says.
fn by_path(path: &str) -> Option<Area> {
    let lower = path.to_ascii_lowercase();
    let name = file_name(&lower);
    let extension = extension(&lower);
    let folders: Vec<&str> = lower.split('/').rev().skip(1).collect();
    let is_in = |names: &[&str]| folders.iter().any(|folder| names.contains(folder));
    if is_test(path) {
        return Some(Area::Tests);
    }
    if name == "requirements.txt" || BUILD_FILES.contains(&name) || name.starts_with("dockerfile") {
        return Some(Area::Infrastructure);
    }
    if is_in(&[
        ".github",
        ".gitlab",
        ".circleci",
        "terraform",
        "k8s",
        "kubernetes",
        "helm",
        "ansible",
        "deploy",
        "infra",
    ]) || matches!(
        extension.as_str(),
        "tf" | "hcl" | "nix" | "gradle" | "gemspec" | "lock"
    ) || name.ends_with(".gradle.kts")
    {
        return Some(Area::Infrastructure);
    }
    if is_in(&["migrations", "migrate"]) || matches!(extension.as_str(), "sql" | "prisma") {
        return Some(Area::Database);
    }
    if DOCUMENTS.contains(&extension.as_str())
        || is_in(&["docs", "doc"])
        || matches!(
            name,
            "license" | "readme" | "changelog" | "authors" | "notice"
        )
    {
        return Some(Area::Docs);
    }
    let is_script = SCRIPT.contains(&extension.as_str());
    let of_browser = ["frontend", "client", "web", "ui", "components", "styles"];
    if FRONT.contains(&extension.as_str()) || (is_script && is_in(&of_browser)) {
        return Some(Area::Frontend);
    }
    None
}

/// Tests and what they read.
pub(super) fn is_test(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = file_name(&lower);
    let stem = name.split('.').next().unwrap_or(name);
    let in_folder = lower.split('/').rev().skip(1).any(|folder| {
        matches!(
            folder,
            "test" | "tests" | "__tests__" | "spec" | "specs" | "testdata" | "fixtures" | "e2e"
        )
    });
    in_folder
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || name.contains(".test.")
        || name.contains(".spec.")
        || path.ends_with("Test.java")
        || path.ends_with("Test.kt")
}

/// What is not written by hand.
pub(super) fn is_generated(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    let locks = [
        "cargo.lock",
        "package-lock.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "go.sum",
        "poetry.lock",
        "uv.lock",
        "gemfile.lock",
        "composer.lock",
    ];
    locks.contains(&name.as_str())
        || name.ends_with(".min.js")
        || name.ends_with(".min.css")
        || name.ends_with(".pb.go")
        || matches!(extension(&name).as_str(), "snap" | "map")
        || path
            .split('/')
            .any(|folder| matches!(folder, "vendor" | "node_modules" | "dist"))
}

/// Scripts run in browsers and on servers, and configuration is of both.
fn by_content<'a>(path: &str, lines: impl Iterator<Item = &'a str>) -> Area {
    const BROWSER: [&str; 8] = [
        "document.",
        "window.",
        "react",
        "useState(",
        "addEventListener(",
        "localStorage",
        "vue",
        "angular",
    ];
    const CLUSTER: [&str; 4] = ["apiVersion:", "kind: Deployment", "services:", "FROM "];
    const TABLES: [&str; 4] = ["CREATE TABLE", "ALTER TABLE", "add_column", "create_table"];
    let extension = extension(path);
    let has = |line: &str, words: &[&str]| words.iter().any(|word| line.contains(word));
    let is_script = SCRIPT.contains(&extension.as_str());
    let is_config = matches!(
        extension.as_str(),
        "yml" | "yaml" | "toml" | "json" | "ini" | "cfg" | "env" | "conf" | "sh" | ""
    );
    let mut found = if is_config {
        Area::Infrastructure
    } else {
        Area::Backend
    };
    for line in lines {
        if is_script && has(line, &BROWSER) {
            return Area::Frontend;
        }
        if has(line, &TABLES) {
            return Area::Database;
        }
        if is_config && has(line, &CLUSTER) {
            found = Area::Infrastructure;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_somewhere() {
        let cases = [
            ("crates/a/src/lib.rs", "", Area::Backend),
            ("crates/a/tests/it.rs", "", Area::Tests),
            ("src/cart.test.ts", "", Area::Tests),
            ("src/CartTest.java", "", Area::Tests),
            ("web/cart.ts", "", Area::Frontend),
            ("crates/web/src/lib.rs", "", Area::Backend),
            ("src/cart.tsx", "", Area::Frontend),
            ("src/cart.ts", "window.open()", Area::Frontend),
            ("src/cart.ts", "app.listen(80)", Area::Backend),
            ("db/migrations/1.rb", "", Area::Database),
            (
                "app/model.py",
                "op.execute('ALTER TABLE a')",
                Area::Database,
            ),
            (".github/workflows/ci.yml", "", Area::Infrastructure),
            ("Cargo.lock", "", Area::Infrastructure),
            ("config.yaml", "a: 1", Area::Infrastructure),
            ("docs/guide.rs", "", Area::Docs),
            ("README.md", "", Area::Docs),
            ("requirements.txt", "", Area::Infrastructure),
        ];
        for (path, line, expected) in cases {
            let found = by_path(path).unwrap_or_else(|| by_content(path, [line].into_iter()));
            assert_eq!(found, expected, "{path}");
        }
    }
}
