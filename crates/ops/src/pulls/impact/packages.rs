//! The packages of a repository, and who depends on whom.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use baton_host::detect::parse;
use serde_json::Value;

use super::super::change::file_name;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) ecosystem: Ecosystem,
    /// Empty: the root of the repository.
    pub(super) folder: String,
    pub(super) manifest: String,
    /// Names and folders that the manifest speaks of, in the repository or not.
    needs: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ecosystem {
    Cargo,
    Npm,
    Go,
    Python,
    Maven,
    Gradle,
    Bundler,
}

impl Ecosystem {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Npm => "npm",
            Self::Go => "go",
            Self::Python => "python",
            Self::Maven => "maven",
            Self::Gradle => "gradle",
            Self::Bundler => "bundler",
        }
    }
}

/// The kind of manifest that a path is, if it is one of the repository's own.
pub(super) fn manifest(path: &str) -> Option<Ecosystem> {
    let foreign = [
        "node_modules",
        "vendor",
        "target",
        "dist",
        "testdata",
        "fixtures",
    ];
    if path.split('/').any(|folder| foreign.contains(&folder)) {
        return None;
    }
    match file_name(path) {
        "Cargo.toml" => Some(Ecosystem::Cargo),
        "package.json" => Some(Ecosystem::Npm),
        "go.mod" => Some(Ecosystem::Go),
        "pyproject.toml" => Some(Ecosystem::Python),
        "pom.xml" => Some(Ecosystem::Maven),
        "build.gradle" | "build.gradle.kts" => Some(Ecosystem::Gradle),
        "Gemfile" => Some(Ecosystem::Bundler),
        name if name.ends_with(".gemspec") => Some(Ecosystem::Bundler),
        _ => None,
    }
}

/// `None` for a manifest of no package, such as that of a mere workspace.
pub(super) fn read(path: &str, text: &str) -> Option<Package> {
    let ecosystem = manifest(path)?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (name, needs) = match ecosystem {
        Ecosystem::Cargo => cargo(folder, &parse::toml(text).ok()?)?,
        Ecosystem::Npm => npm(&parse::json(text).ok()?)?,
        Ecosystem::Go => (parse::go_mod_module(text)?, parse::go_mod_requires(text)),
        Ecosystem::Python => python(&parse::toml(text).ok()?)?,
        Ecosystem::Maven => {
            let pom = parse::pom(text);
            (pom.artifact_id?, pom.dependencies)
        }
        Ecosystem::Gradle => (format!(":{}", folder.replace('/', ":")), gradle(text)),
        Ecosystem::Bundler => bundler(path, folder, text),
    };
    Some(Package {
        name,
        ecosystem,
        folder: folder.to_owned(),
        manifest: path.to_owned(),
        needs: needs.into_iter().collect(),
    })
}

type Read = (String, Vec<String>);

fn cargo(folder: &str, tree: &Value) -> Option<Read> {
    const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
    let name = tree.get("package")?.get("name")?.as_str()?.to_owned();
    let by_platform = tree.get("target").and_then(Value::as_object);
    let places = by_platform
        .into_iter()
        .flat_map(|all| all.values())
        .chain([tree]);
    let mut needs = Vec::new();
    for place in places {
        for table in TABLES {
            let entries = place.get(table).and_then(Value::as_object);
            for (key, entry) in entries.into_iter().flatten() {
                let renamed = entry.get("package").and_then(Value::as_str);
                needs.push(renamed.unwrap_or(key).to_owned());
                let path = entry.get("path").and_then(Value::as_str);
                needs.extend(path.map(|path| joined(folder, path)));
            }
        }
    }
    Some((name, needs))
}

fn npm(tree: &Value) -> Option<Read> {
    const TABLES: [&str; 4] = [
        "dependencies",
        "devDependencies",
        "peerDependencies",
        "optionalDependencies",
    ];
    let name = tree.get("name")?.as_str()?.to_owned();
    let tables = TABLES
        .iter()
        .filter_map(|table| tree.get(table)?.as_object());
    let needs = tables.flat_map(|table| table.keys().cloned());
    Some((name, needs.collect()))
}

fn python(tree: &Value) -> Option<Read> {
    let poetry = tree.get("tool").and_then(|tool| tool.get("poetry"));
    let project = tree.get("project");
    let name = [project, poetry]
        .into_iter()
        .flatten()
        .find_map(|table| table.get("name")?.as_str())?;
    let name = parse::requirement_name(name)?;
    let mut lists: Vec<&Value> = Vec::new();
    lists.extend(project.and_then(|project| project.get("dependencies")));
    let groups = [
        project.and_then(|project| project.get("optional-dependencies")),
        tree.get("dependency-groups"),
    ];
    let groups = groups.into_iter().flatten().filter_map(Value::as_object);
    lists.extend(groups.flat_map(|group| group.values()));
    let listed = lists.into_iter().filter_map(Value::as_array).flatten();
    let mut needs: Vec<String> = listed
        .filter_map(|requirement| parse::requirement_name(requirement.as_str()?))
        .collect();
    let tables = poetry.and_then(|poetry| poetry.get("dependencies")?.as_object());
    let keys = tables.into_iter().flat_map(|table| table.keys());
    needs.extend(keys.filter_map(|key| parse::requirement_name(key)));
    Some((name, needs))
}

/// `project(":a:b")` and `projects.a.b`, wherever they stand.
fn gradle(text: &str) -> Vec<String> {
    let calls = text.split("project(").skip(1).filter_map(|rest| {
        let rest = rest
            .trim_start()
            .trim_start_matches("path")
            .trim_start_matches([':', '=', ' ']);
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (name, _) = rest[1..].split_once(quote)?;
        Some(format!(":{}", name.trim_start_matches(':')))
    });
    let accessors = text.split("projects.").skip(1).map(|rest| {
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-')))
            .unwrap_or(rest.len());
        format!(":{}", rest[..end].replace('.', ":"))
    });
    calls.chain(accessors).collect()
}

fn bundler(path: &str, folder: &str, text: &str) -> Read {
    let of_spec = file_name(path).strip_suffix(".gemspec");
    let name = of_spec.unwrap_or_else(|| match file_name(folder) {
        "" => "the root's Gemfile",
        name => name,
    });
    (name.to_owned(), parse::gems(text))
}

/// A folder as another one names it: `../a` in `b/c` is `b/a`.
fn joined(folder: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Who depends on whom among the packages of a repository.
pub(super) struct Graph {
    packages: Vec<Package>,
    /// For each package those that need it.
    needed_by: Vec<Vec<usize>>,
}

impl Graph {
    pub(super) fn new(mut packages: Vec<Package>) -> Self {
        packages.sort_by(|one, other| one.manifest.cmp(&other.manifest));
        let mut known: BTreeMap<(Ecosystem, &str), usize> = BTreeMap::new();
        for (place, package) in packages.iter().enumerate() {
            known
                .entry((package.ecosystem, &package.name))
                .or_insert(place);
            if !package.folder.is_empty() {
                known
                    .entry((package.ecosystem, &package.folder))
                    .or_insert(place);
            }
        }
        let mut needed_by = vec![Vec::new(); packages.len()];
        for (place, package) in packages.iter().enumerate() {
            for need in &package.needs {
                match known.get(&(package.ecosystem, need.as_str())) {
                    Some(found) if *found != place && !needed_by[*found].contains(&place) => {
                        needed_by[*found].push(place);
                    }
                    _ => {}
                }
            }
        }
        Self {
            packages,
            needed_by,
        }
    }

    /// The packages that a file belongs to: those of the deepest folder.
    pub(super) fn owning(&self, path: &str) -> Vec<usize> {
        let holds = |package: &Package| {
            package.folder.is_empty()
                || path
                    .strip_prefix(package.folder.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        };
        let depth = |package: &Package| package.folder.len();
        let deepest = self
            .packages
            .iter()
            .filter(|package| holds(package))
            .map(depth)
            .max();
        let places = self.packages.iter().enumerate();
        places
            .filter(|(_, package)| holds(package) && Some(depth(package)) == deepest)
            .map(|(place, _)| place)
            .collect()
    }

    pub(super) fn package(&self, place: usize) -> &Package {
        &self.packages[place]
    }

    /// All that need it, near or far, with how far.
    pub(super) fn dependents(&self, place: usize) -> Vec<(&Package, u64)> {
        let mut distances: BTreeMap<usize, u64> = BTreeMap::from([(place, 0)]);
        let mut waiting = VecDeque::from([place]);
        let mut found = Vec::new();
        while let Some(next) = waiting.pop_front() {
            let distance = distances[&next] + 1;
            for dependent in &self.needed_by[next] {
                if distances.insert(*dependent, distance).is_none() {
                    found.push((&self.packages[*dependent], distance));
                    waiting.push_back(*dependent);
                } else {
                    // Known already, and not farther than it is now.
                    let known = distances[dependent].min(distance);
                    distances.insert(*dependent, known);
                }
            }
        }
        found
    }

    pub(super) fn is_empty(&self) -> bool {
        self.packages.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(files: &[(&str, &str)]) -> Graph {
        Graph::new(
            files
                .iter()
                .filter_map(|(path, text)| read(path, text))
                .collect(),
        )
    }

    #[track_caller]
    fn dependents(files: &[(&str, &str)], path: &str) -> String {
        let graph = graph(files);
        let mut shown = Vec::new();
        for place in graph.owning(path) {
            let package = graph.package(place);
            let names: Vec<String> = graph
                .dependents(place)
                .iter()
                .map(|(dependent, distance)| format!("{} {distance}", dependent.name))
                .collect();
            shown.push(format!(
                "{} {} <- {}",
                package.ecosystem.name(),
                package.name,
                names.join(", ")
            ));
        }
        shown.join("; ")
    }

    #[test]
    fn cargo() {
        let files = [
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
            ("crates/core/Cargo.toml", "[package]\nname = \"core\"\n"),
            (
                "crates/web/Cargo.toml",
                "[package]\nname = \"web\"\n[dependencies]\nengine = { package = \"core\", path = \"../core\" }\n",
            ),
            (
                "crates/app/Cargo.toml",
                "[package]\nname = \"app\"\n[target.'cfg(unix)'.dependencies]\nweb = { workspace = true }\n",
            ),
        ];
        assert_eq!(
            dependents(&files, "crates/core/src/lib.rs"),
            "cargo core <- web 1, app 2"
        );
        assert_eq!(
            dependents(&files, "crates/app/src/main.rs"),
            "cargo app <- "
        );
        assert_eq!(dependents(&files, "README.md"), "");
    }

    #[test]
    fn npm_and_python() {
        let files = [
            (
                "package.json",
                r#"{"name": "root", "workspaces": ["packages/*"]}"#,
            ),
            ("packages/a/package.json", r#"{"name": "@x/a"}"#),
            (
                "packages/b/package.json",
                r#"{"name": "@x/b", "devDependencies": {"@x/a": "workspace:*"}}"#,
            ),
            (
                "node_modules/c/package.json",
                r#"{"name": "c", "dependencies": {"@x/a": "1"}}"#,
            ),
            ("py/a/pyproject.toml", "[project]\nname = \"Py_A\"\n"),
            (
                "py/b/pyproject.toml",
                "[project]\nname = \"py-b\"\ndependencies = [\"py.a>=1\"]\n",
            ),
            (
                "py/c/pyproject.toml",
                "[tool.poetry]\nname = \"c\"\n[tool.poetry.dependencies]\npy-b = \"*\"\n",
            ),
        ];
        assert_eq!(
            dependents(&files, "packages/a/index.js"),
            "npm @x/a <- @x/b 1"
        );
        assert_eq!(
            dependents(&files, "py/a/a.py"),
            "python py-a <- py-b 1, c 2"
        );
    }

    #[test]
    fn go_maven_gradle_and_bundler() {
        let files = [
            ("lib/go.mod", "module example.com/lib\n"),
            (
                "cmd/go.mod",
                "module example.com/cmd\nrequire example.com/lib v0.0.0\n",
            ),
            (
                "core/pom.xml",
                "<project><artifactId>core</artifactId></project>",
            ),
            (
                "shop/pom.xml",
                "<project><artifactId>shop</artifactId><dependencies><dependency><artifactId>core</artifactId></dependency></dependencies></project>",
            ),
            ("g/core/build.gradle.kts", ""),
            (
                "g/app/build.gradle.kts",
                "dependencies { implementation(project(\":g:core\")) }",
            ),
            ("g/web/build.gradle", "implementation projects.g.app"),
            (
                "gems/a/a.gemspec",
                "Gem::Specification.new { |s| s.name = 'a' }",
            ),
            ("gems/b/b.gemspec", "s.add_dependency 'a'"),
        ];
        assert_eq!(
            dependents(&files, "lib/a.go"),
            "go example.com/lib <- example.com/cmd 1"
        );
        assert_eq!(
            dependents(&files, "core/src/A.java"),
            "maven core <- shop 1"
        );
        assert_eq!(
            dependents(&files, "g/core/A.kt"),
            "gradle :g:core <- :g:app 1, :g:web 2"
        );
        assert_eq!(dependents(&files, "gems/a/lib/a.rb"), "bundler a <- b 1");
    }

    #[test]
    fn circles_and_nonsense_do_no_harm() {
        let files = [
            (
                "a/package.json",
                r#"{"name": "a", "dependencies": {"b": "1"}}"#,
            ),
            (
                "b/package.json",
                r#"{"name": "b", "dependencies": {"a": "1"}}"#,
            ),
            ("c/package.json", "nonsense"),
            ("d/Cargo.toml", "= ="),
        ];
        assert_eq!(dependents(&files, "a/x.js"), "npm a <- b 1");
    }
}
