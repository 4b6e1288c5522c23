//! Which settings of a repository's own configuration baton's git calls follow:
//! those on a list. Whatever names a program, a server or another file is not
//! on it.

use std::path::Path;

use super::discover::read_plain;

/// A file of patterns that a setting names is read at most to this size.
const MAX_PATTERNS: u64 = 1024 * 1024;

/// One setting as `git config --list -z` prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// Section and name are in lower case, the subsection is as written.
    pub(super) key: String,
    /// Absent: the name alone was written, which means `true`.
    pub(super) value: Option<String>,
}

impl Setting {
    /// The settings of git's answer. What is no text is left out.
    pub(super) fn parse_list(bytes: &[u8]) -> Vec<Self> {
        bytes
            .split(|&byte| byte == 0)
            .filter_map(|entry| str::from_utf8(entry).ok())
            .filter(|entry| !entry.is_empty())
            .map(|entry| match entry.split_once('\n') {
                Some((key, value)) => Self {
                    key: key.to_owned(),
                    value: Some(value.to_owned()),
                },
                None => Self {
                    key: entry.to_owned(),
                    value: None,
                },
            })
            .collect()
    }

    /// Section, subsection and name.
    fn parts(&self) -> Option<(&str, Option<&str>, &str)> {
        let (section, rest) = self.key.split_once('.')?;
        Some(match rest.rsplit_once('.') {
            Some((subsection, name)) => (section, Some(subsection), name),
            None => (section, None, rest),
        })
    }

    pub(super) fn is_true(&self) -> bool {
        let value = self.value.as_deref().map(str::to_ascii_lowercase);
        matches!(value.as_deref(), None | Some("true" | "yes" | "on" | "1"))
    }

    pub(super) fn is_about_sparseness(&self) -> bool {
        self.key.starts_with("core.sparsecheckout") || self.key == "index.sparse"
    }

    fn text(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }

    /// As a line of a configuration file, below a section of its own.
    fn written(&self) -> Option<String> {
        let (section, subsection, name) = self.parts()?;
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let head = match subsection {
            Some(subsection) => format!("[{section} \"{}\"]", quoted(subsection)),
            None => format!("[{section}]"),
        };
        let value = match &self.value {
            Some(value) => {
                let value = quoted(value).replace('\n', "\\n").replace('\t', "\\t");
                format!(" = \"{value}\"")
            }
            None => String::new(),
        };
        Some(format!("{head}\n\t{name}{value}\n"))
    }
}

/// How settings are judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Policy<'a> {
    /// git can be kept from fetching missing objects on its own.
    pub(super) can_forbid_lazy_fetch: bool,
    /// The folder of `~/`.
    pub(super) home: Option<&'a Path>,
}

impl Policy<'_> {
    /// A configuration with what is left of the settings.
    pub(super) fn sanitized(&self, settings: &[Setting]) -> String {
        let keeps_promisor = self.can_forbid_lazy_fetch && promisors_are_plain(settings);
        settings
            .iter()
            .filter(|setting| self.allows(setting, keeps_promisor))
            .filter_map(Setting::written)
            .collect()
    }

    fn allows(&self, setting: &Setting, keeps_promisor: bool) -> bool {
        let Some((section, subsection, name)) = setting.parts() else {
            return false;
        };
        match (section, subsection, name) {
            ("core", None, "attributesfile" | "excludesfile") => self.is_plain_file(setting.text()),
            ("core", None, name) => CORE.contains(&name),
            // Written into the remaining settings if it is set.
            ("extensions", None, "worktreeconfig") => false,
            ("extensions", None, "partialclone")
            | ("remote", Some(_), "promisor" | "partialclonefilter") => keeps_promisor,
            // An extension that git does not know has to be refused by git.
            ("extensions", None, _) => true,
            ("remote", Some(_), "url" | "pushurl")
            | ("remote", None, "pushdefault")
            | ("branch", Some(_), "remote" | "pushremote") => is_plain_url(setting.text()),
            ("remote", Some(_), name) => REMOTE.contains(&name),
            ("branch", Some(_), name) => BRANCH.contains(&name),
            (section, None, name) => OTHERS.contains(&(section, name)),
            _ => false,
        }
    }

    fn is_plain_file(&self, path: &str) -> bool {
        let path = match (path.strip_prefix("~/"), self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => path.into(),
        };
        path.is_absolute() && matches!(read_plain(&path, MAX_PATTERNS), Ok(Some(_)))
    }
}

const CORE: [&str; 30] = [
    "abbrev",
    "autocrlf",
    "bare",
    "bigfilethreshold",
    "checkstat",
    "commentchar",
    "commentstring",
    "commitgraph",
    "compression",
    "deltabasecachelimit",
    "eol",
    "filemode",
    "ignorecase",
    "ignorestat",
    "logallrefupdates",
    "longpaths",
    "loosecompression",
    "multipackindex",
    "precomposeunicode",
    "protecthfs",
    "protectntfs",
    "quotepath",
    "repositoryformatversion",
    "safecrlf",
    "sharedrepository",
    "sparsecheckout",
    "sparsecheckoutcone",
    "symlinks",
    "trustctime",
    "usereplacerefs",
];

const REMOTE: [&str; 6] = [
    "fetch",
    "prune",
    "prunetags",
    "skipdefaultupdate",
    "skipfetchall",
    "tagopt",
];

const BRANCH: [&str; 3] = ["description", "merge", "rebase"];

const OTHERS: [(&str, &str); 17] = [
    ("checkout", "defaultremote"),
    ("diff", "algorithm"),
    ("diff", "renamelimit"),
    ("diff", "renames"),
    ("i18n", "commitencoding"),
    ("i18n", "logoutputencoding"),
    ("index", "sparse"),
    ("index", "threads"),
    ("index", "version"),
    ("merge", "conflictstyle"),
    ("merge", "directoryrenames"),
    ("merge", "renamelimit"),
    ("merge", "renames"),
    ("status", "showuntrackedfiles"),
    ("user", "email"),
    ("user", "name"),
    ("user", "useconfigonly"),
];

/// Whether git can fetch missing objects without running a program named by a URL.
fn promisors_are_plain(settings: &[Setting]) -> bool {
    let urls = settings.iter().filter(|setting| {
        matches!(
            setting.parts(),
            Some(("remote", Some(_), "url" | "pushurl"))
        )
    });
    urls.into_iter().all(|setting| is_plain_url(setting.text()))
}

/// Whether a URL or path is used by git itself: any other scheme, and any
/// prefix before `::`, names a program.
fn is_plain_url(url: &str) -> bool {
    const SCHEMES: [&str; 7] = ["file", "git", "git+ssh", "http", "https", "ssh", "ssh+git"];
    let is_scheme = |text: &str| {
        let mut bytes = text.bytes();
        bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    if url.is_empty() || url.starts_with('-') || url.chars().any(char::is_control) {
        return false;
    }
    if url
        .split_once("::")
        .is_some_and(|(helper, _)| is_scheme(helper))
    {
        return false;
    }
    match url.split_once("://") {
        Some((scheme, _)) if is_scheme(scheme) => SCHEMES.contains(&scheme),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_of(settings: &[(&str, &str)]) -> String {
        let settings: Vec<_> = settings
            .iter()
            .map(|(key, value)| Setting {
                key: (*key).to_owned(),
                value: Some((*value).to_owned()),
            })
            .collect();
        let policy = Policy {
            can_forbid_lazy_fetch: true,
            home: None,
        };
        policy.sanitized(&settings)
    }

    #[test]
    fn what_names_a_program_is_left_out() {
        for key in [
            "alias.status",
            "core.alternaterefscommand",
            "core.askpass",
            "core.editor",
            "core.fsmonitor",
            "core.gitproxy",
            "core.hookspath",
            "core.pager",
            "core.sshcommand",
            "core.worktree",
            "credential.helper",
            "credential.https://example.invalid.helper",
            "diff.external",
            "diff.x.command",
            "diff.x.textconv",
            "filter.x.clean",
            "filter.x.process",
            "filter.x.smudge",
            "gpg.program",
            "gpg.ssh.defaultkeycommand",
            "http.extraheader",
            "http.https://example.invalid/.proxy",
            "include.path",
            "includeif.gitdir:/.path",
            "merge.x.driver",
            "remote.x.proxy",
            "remote.x.receivepack",
            "remote.x.uploadpack",
            "remote.x.vcs",
            "branch.x.mergeoptions",
            "submodule.x.update",
            "uploadpack.packobjectshook",
            "url.https://example.invalid/.insteadof",
            "extensions.worktreeconfig",
            "nonsense",
        ] {
            assert_eq!(left_of(&[(key, "x")]), "", "{key}");
        }
    }

    #[test]
    fn what_describes_the_repository_is_kept() {
        insta::assert_snapshot!(left_of(&[
            ("core.repositoryformatversion", "1"),
            ("extensions.objectformat", "sha256"),
            ("extensions.unheardof", "true"),
            ("remote.a \"b\\c.url", "https://example.invalid/x"),
            ("user.name", "two\nlines; # \"quoted\""),
        ]), @r#"
        [core]
        	repositoryformatversion = "1"
        [extensions]
        	objectformat = "sha256"
        [extensions]
        	unheardof = "true"
        [remote "a \"b\\c"]
        	url = "https://example.invalid/x"
        [user]
        	name = "two\nlines; # \"quoted\""
        "#);
    }

    #[test]
    fn urls_that_run_a_program_are_left_out() {
        for url in ["ext::sh -c x", "fd::3", "foo://x", "-x", "", "a\nb"] {
            assert!(!is_plain_url(url), "{url}");
        }
        for url in [
            "https://github.com/o/r",
            "git@github.com:o/r.git",
            "ssh://[::1]/r",
            "[::1]:r",
            "/srv/r.git",
            "../r.git",
            "file:///srv/r",
        ] {
            assert!(is_plain_url(url), "{url}");
        }
    }

    #[test]
    fn a_promisor_is_kept_where_every_url_is_plain() {
        let honest = [
            ("extensions.partialclone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.url", "https://example.invalid/x"),
        ];
        assert!(left_of(&honest).contains("promisor"));
        let mut hostile = honest;
        hostile[2].1 = "ext::sh -c x";
        assert_eq!(left_of(&hostile), "");
    }
}
