//! What added lines contain that a reviewer wants to know of.
//!
//! Plain words, no parsing: a signal is a place to look at and no verdict.

use baton_host::git::Hunk;

use super::areas;
use super::change::{File, extension};

/// What a signal is about; the names are those of `focus_areas`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Topic {
    Security,
    Data,
    Concurrency,
    ErrorHandling,
    Performance,
    Testing,
    Deployment,
    Unfinished,
}

impl Topic {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Security => "security",
            Self::Data => "data",
            Self::Concurrency => "concurrency",
            Self::ErrorHandling => "error handling",
            Self::Performance => "performance",
            Self::Testing => "testing",
            Self::Deployment => "deployment",
            Self::Unfinished => "unfinished work",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signal {
    pub(super) topic: Topic,
    /// How much it matters, from 1 to 6.
    pub(super) weight: u32,
    /// In the file as it is now.
    pub(super) line: u32,
    /// What to look at.
    pub(super) says: &'static str,
    /// The words that were seen.
    pub(super) seen: &'static str,
}

struct Detector {
    topic: Topic,
    weight: u32,
    /// Empty: all files.
    extensions: &'static [&'static str],
    words: &'static [&'static str],
    says: &'static str,
}

const fn detector(
    topic: Topic,
    weight: u32,
    extensions: &'static [&'static str],
    words: &'static [&'static str],
    says: &'static str,
) -> Detector {
    Detector {
        topic,
        weight,
        extensions,
        words,
        says,
    }
}

const SCRIPT: &[&str] = &["js", "ts", "jsx", "tsx", "mjs", "cjs", "vue", "svelte"];
const JVM: &[&str] = &["java", "kt", "kts", "groovy", "scala"];
const YAML: &[&str] = &["yml", "yaml"];

/// The first that fits a line counts, so the gravest stand first.
#[rustfmt::skip]
static DETECTORS: &[Detector] = &[
    detector(Topic::Security, 6, &[], &["BEGIN RSA PRIVATE KEY", "BEGIN OPENSSH PRIVATE KEY", "BEGIN PRIVATE KEY", "AKIA"], "looks like a credential that is committed"),
    detector(Topic::Security, 6, &[], &["verify=False", "InsecureSkipVerify", "rejectUnauthorized: false", "danger_accept_invalid_certs", "NODE_TLS_REJECT_UNAUTHORIZED"], "certificates are not checked"),
    detector(Topic::Security, 5, &["py"], &["shell=True", "os.system(", "eval(", "exec(", "pickle.load", "yaml.load("], "foreign input may become code or a command here"),
    detector(Topic::Security, 5, SCRIPT, &["eval(", "new Function(", "innerHTML", "dangerouslySetInnerHTML", "child_process", "document.write("], "foreign input may become code, markup or a command here"),
    detector(Topic::Security, 5, &["rb"], &["eval(", "system(", "Marshal.load", "html_safe", "constantize"], "foreign input may become code, markup or a command here"),
    detector(Topic::Security, 5, JVM, &["Runtime.getRuntime().exec", "ProcessBuilder(", "ObjectInputStream", "ScriptEngine"], "foreign input may become code or a command here"),
    detector(Topic::Security, 4, &["go"], &["exec.Command(", "template.HTML(", "unsafe.Pointer"], "foreign input may become markup, a command or an address here"),
    detector(Topic::Security, 5, &["rs"], &["unsafe {", "unsafe fn", "unsafe impl", "transmute"], "what makes this unsafe code sound has to be said and kept"),
    detector(Topic::Security, 4, YAML, &["pull_request_target", "permissions: write-all", "secrets."], "a workflow gets rights or secrets that a foreign change could use"),
    detector(Topic::Security, 3, &[], &["password", "passwd", "secret", "api_key", "apikey", "private_key", "access_token", "Authorization"], "credentials are handled: they must not be logged, stored or compared carelessly"),
    detector(Topic::Data, 6, &[], &["DROP TABLE", "DROP COLUMN", "TRUNCATE TABLE", "drop_table", "remove_column", "dropColumn("], "data is lost when this runs"),
    detector(Topic::Data, 5, &[], &["ALTER TABLE", "add_column", "RENAME COLUMN", "rename_column", "SET NOT NULL"], "the old and the new program meet this schema at the same time"),
    detector(Topic::Data, 4, &[], &["DELETE FROM", "UPDATE ", "INSERT INTO"], "data is changed"),
    detector(Topic::Concurrency, 3, &["rs"], &["Mutex", "RwLock", "Atomic", "tokio::spawn", "thread::spawn", "select!"], "tasks share something here"),
    detector(Topic::Concurrency, 3, &["go"], &["go func", "sync.", "chan ", "select {"], "goroutines share something here"),
    detector(Topic::Concurrency, 3, &["py"], &["threading.", "multiprocessing", "asyncio.gather", "asyncio.create_task"], "tasks share something here"),
    detector(Topic::Concurrency, 3, JVM, &["synchronized", "volatile", "ExecutorService", "CompletableFuture", "Thread("], "threads share something here"),
    detector(Topic::Concurrency, 2, SCRIPT, &["Promise.all", "setInterval(", "new Worker("], "several things happen at once here"),
    detector(Topic::ErrorHandling, 3, &["rs"], &[".unwrap()", "panic!(", "unreachable!(", "todo!(", "unimplemented!("], "this ends the program when it does not hold"),
    detector(Topic::ErrorHandling, 3, &["py"], &["except:", "except Exception", "except BaseException"], "errors may be swallowed here"),
    detector(Topic::ErrorHandling, 3, SCRIPT, &["catch {", "catch (_", "catch (e) {}", "catch(() =>"], "errors may be swallowed here"),
    detector(Topic::ErrorHandling, 3, &["go"], &["panic(", ", _ := ", ", _ = "], "an error is dropped, or ends the program"),
    detector(Topic::ErrorHandling, 3, JVM, &["catch (Exception", "catch (Throwable", "printStackTrace"], "errors may be swallowed here"),
    detector(Topic::ErrorHandling, 3, &["rb"], &["rescue nil", "rescue =>", "rescue StandardError", "rescue Exception"], "errors may be swallowed here"),
    detector(Topic::Testing, 4, &[], &["#[ignore", "@pytest.mark.skip", "@unittest.skip", "it.skip(", "test.skip(", "describe.skip(", "t.Skip(", "@Disabled", "@Ignore"], "a test no longer runs"),
    detector(Topic::Testing, 4, SCRIPT, &["it.only(", "test.only(", "describe.only("], "all other tests no longer run"),
    detector(Topic::Deployment, 3, YAML, &["permissions:", "uses: ", "image: ", "curl "], "what CI or a deployment runs changes"),
    detector(Topic::Deployment, 3, &[], &["RUN curl", "RUN wget", "USER root", "ADD http"], "an image takes something from outside, or runs as root"),
    detector(Topic::Performance, 2, &[], &["SELECT *", "sleep(", "time.sleep", "Thread.sleep", "readFileSync(", "O(n"], "this may take long"),
    detector(Topic::Unfinished, 2, &[], &["TODO", "FIXME", "XXX", "HACK"], "something is left to do"),
    detector(Topic::Unfinished, 2, &[], &["console.log(", "dbg!(", "debugger;", "binding.pry", "breakpoint()", "pdb.set_trace"], "a trace of debugging"),
];

/// What is worth a look in the lines that a hunk adds.
pub(super) fn in_hunk(path: &str, hunk: &Hunk) -> Vec<Signal> {
    let extension = extension(path);
    let is_test = areas::is_test(path);
    let is_prose = matches!(extension.as_str(), "md" | "mdx" | "rst" | "txt" | "adoc");
    let mut found: Vec<Signal> = Vec::new();
    for (line, text) in hunk.added() {
        found.extend(in_line(&extension, text).map(|(detector, seen)| Signal {
            topic: detector.topic,
            weight: detector.weight,
            line,
            says: detector.says,
            seen,
        }));
    }
    // What would be careless elsewhere is the way of tests, and documents only
    // speak of it.
    found.retain(|signal| match signal.topic {
        Topic::Security => signal.weight == 6 || !(is_test || is_prose),
        Topic::Testing => !is_prose,
        _ => !(is_test || is_prose),
    });
    found
}

pub(super) fn in_file(file: &File) -> Vec<Signal> {
    if file.is_generated() {
        return Vec::new();
    }
    let hunks = file.hunks().iter();
    hunks.flat_map(|hunk| in_hunk(&file.path, hunk)).collect()
}

fn in_line(extension: &str, text: &str) -> Option<(&'static Detector, &'static str)> {
    DETECTORS
        .iter()
        .filter(|detector| {
            detector.extensions.is_empty() || detector.extensions.contains(&extension)
        })
        .find_map(|detector| {
            let seen = detector.words.iter().find(|word| text.contains(**word))?;
            Some((detector, *seen))
        })
}

#[cfg(test)]
mod tests {
    use super::super::change::samples;
    use super::*;

    fn seen(path: &str, lines: &[&str]) -> String {
        let hunk = format!(
            "@@ -1,1 +1,{} @@\n context\n+{}\n",
            lines.len() + 1,
            lines.join("\n+")
        );
        let signals = in_file(&samples::file(path, &hunk));
        let shown = signals
            .iter()
            .map(|signal| format!("{}:{} {}", signal.line, signal.seen, signal.topic.name()));
        shown.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn places_to_look_at_are_found_with_their_lines() {
        assert_eq!(
            seen("src/a.rs", &["let a = 1;", "unsafe { b() }", "c.unwrap();"]),
            "3:unsafe { security; 4:.unwrap() error handling"
        );
        assert_eq!(
            seen("a.py", &["subprocess.run(x, shell=True)"]),
            "2:shell=True security"
        );
        assert_eq!(seen("db/1.sql", &["DROP TABLE a;"]), "2:DROP TABLE data");
        assert_eq!(seen("a.go", &["v, _ := f()"]), "2:, _ :=  error handling");
    }

    #[test]
    fn tests_and_documents_may_be_careless() {
        assert_eq!(
            seen("tests/a.rs", &["c.unwrap();", "#[ignore]"]),
            "3:#[ignore testing"
        );
        assert_eq!(seen("README.md", &["call .unwrap() with a password"]), "");
        assert_eq!(seen("Cargo.lock", &["TODO"]), "");
    }
}
