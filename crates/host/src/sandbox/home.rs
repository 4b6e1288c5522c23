//! The private home folder of a run: copies of the settings and logins that
//! programs need, without other secrets.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::RunFolders;
use super::toolchains::{HIDDEN_SETTINGS, MAVEN_SETTINGS, SETTINGS};
use crate::cmd::Environment;

/// Settings and logins are small.
const MAX_FILE: u64 = 1 << 20;

/// Words in lines of settings that are left out.
const SECRET_WORDS: &[&str] = &[
    "token",
    "password",
    "passwd",
    "secret",
    "_auth",
    "credential",
    "api_key",
    "apikey",
];

#[derive(Debug)]
pub(super) struct PrivateHome {
    pub(super) folder: PathBuf,
    pub(super) temporary: PathBuf,
    /// Mounted in place of folders that are hidden.
    pub(super) empty: PathBuf,
    /// What the copied files say, to find the hosts in them.
    pub(super) texts: Vec<String>,
    /// Copies without logins of settings that are hidden otherwise, by name.
    /// They are where no program can replace them.
    pub(super) without_logins: Vec<(&'static str, PathBuf)>,
    /// Logins that were copied, with what they held.
    logins: Vec<(PathBuf, PathBuf, Vec<u8>)>,
}

impl PrivateHome {
    /// Makes the folders and copies what is not there yet.
    pub(super) fn fill(folders: &RunFolders<'_>, environment: &Environment) -> io::Result<Self> {
        let folder = folders.own.join("home");
        let temporary = folders.own.join("tmp");
        let empty = folders.own.join("empty");
        for path in [&folder, &temporary, &empty] {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(path)?;
        }
        let mut home = Self {
            folder,
            temporary,
            empty,
            texts: Vec::new(),
            without_logins: Vec::new(),
            logins: Vec::new(),
        };
        if let Some(real) = environment.get("HOME").map(Path::new) {
            for name in SETTINGS {
                home.copy(real, name, without_secrets)?;
            }
            home.copy_hidden(real, &folders.own.join("settings"))?;
            for name in folders.logins {
                if let Some(held) = home.copy(real, name, <[u8]>::to_vec)? {
                    let (ours, theirs) = (home.folder.join(name), real.join(name));
                    home.logins.push((ours, theirs, held));
                }
            }
        }
        home.configure_git(folders.committer)?;
        Ok(home)
    }

    /// Copies settings that are among caches, to be mounted in place of the real ones.
    fn copy_hidden(&mut self, real: &Path, folder: &Path) -> io::Result<()> {
        for (at, name) in HIDDEN_SETTINGS.iter().enumerate() {
            let Some(text) = read_small(&real.join(name)) else {
                continue;
            };
            let text = match *name {
                MAVEN_SETTINGS => without_servers(&text),
                _ => without_secrets(&text),
            };
            self.texts.push(String::from_utf8_lossy(&text).into_owned());
            let copy = folder.join(at.to_string());
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
            fs::write(&copy, &text)?;
            self.without_logins.push((name, copy));
        }
        Ok(())
    }

    /// Copies a file, unless an earlier step of the run did, and returns what
    /// the copy held at first.
    fn copy(
        &mut self,
        real: &Path,
        name: &str,
        clean: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> io::Result<Option<Vec<u8>>> {
        let Some(text) = read_small(&real.join(name)) else {
            return Ok(None);
        };
        let text = clean(&text);
        self.texts.push(String::from_utf8_lossy(&text).into_owned());
        let copy = self.folder.join(name);
        if let Some(parent) = copy.parent() {
            fs::create_dir_all(parent)?;
        }
        let created = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&copy);
        match created {
            Ok(mut file) => io::Write::write_all(&mut file, &text)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        Ok(Some(text))
    }

    fn configure_git(&self, committer: Option<(&str, &str)>) -> io::Result<()> {
        let quoted = |text: &str| {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"");
            format!("\"{}\"", text.replace(char::is_control, " "))
        };
        // Repositories of a run are thrown away: git need not tidy them, in processes
        // that outlive the program that committed.
        let mut text = "[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n\
                        [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
            .to_owned();
        if let Some((name, email)) = committer {
            let (name, email) = (quoted(name), quoted(email));
            text = format!("{text}[user]\n\tname = {name}\n\temail = {email}\n");
        }
        let path = self.folder.join(".gitconfig");
        // A link that a program left there is not followed.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::write(path, text)
    }

    /// Some logins are replaced when they are used, and the old ones are void.
    /// A new one is taken over if it is of the same form and the user's own has
    /// not changed meanwhile.
    pub(super) fn return_logins(&self) {
        for (ours, theirs, held) in &self.logins {
            let Some(now) = read_small(ours).filter(|now| now != held) else {
                continue;
            };
            let is_current = read_small(theirs).is_some_and(|real| real == *held);
            if is_current && has_same_form(held, &now) {
                let replaced = replace(theirs, &now);
                if let Err(error) = replaced {
                    tracing::warn!(%error, "cannot take over a renewed login");
                }
            }
        }
    }
}

/// Objects of JSON with the same keys.
fn has_same_form(before: &[u8], now: &[u8]) -> bool {
    use serde_json::Value;

    fn same(before: &Value, now: &Value) -> bool {
        match (before, now) {
            (Value::Object(before), Value::Object(now)) => {
                before.len() == now.len()
                    && before
                        .iter()
                        .all(|(key, value)| now.get(key).is_some_and(|now| same(value, now)))
            }
            (Value::Object(_) | Value::Array(_), _) => false,
            (_, now) => !now.is_object() && !now.is_array(),
        }
    }
    let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
    match (parse(before), parse(now)) {
        (Some(before @ Value::Object(_)), Some(now)) => same(&before, &now),
        _ => false,
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut new, bytes)?;
    new.as_file().sync_all()?;
    new.persist(path)?;
    Ok(())
}

fn read_small(path: &Path) -> Option<Vec<u8>> {
    // Links are followed in the user's own home folder; devices are not read.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MAX_FILE).then_some(bytes)
}

fn without_secrets(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).into_owned();
    let lines = text.lines().filter(|line| {
        let line = line.to_lowercase();
        // Also an address with a password in it.
        let has_login = line
            .split_once("://")
            .and_then(|(_, rest)| rest.split('/').next())
            .is_some_and(|authority| authority.contains('@'));
        !has_login && !SECRET_WORDS.iter().any(|word| line.contains(word))
    });
    let mut kept: String = lines.flat_map(|line| [line, "\n"]).collect();
    if !text.ends_with('\n') {
        kept.pop();
    }
    kept.into_bytes()
}

/// Maven's settings without their logins. Where a secret is elsewhere in them,
/// nothing is left: XML cannot be taken apart by lines.
fn without_servers(text: &[u8]) -> Vec<u8> {
    const EMPTY: &[u8] = b"<settings/>\n";
    const END: &str = "</servers>";
    let text = String::from_utf8_lossy(text);
    let mut kept = String::new();
    let mut rest = &*text;
    while let Some(start) = rest.find("<servers>") {
        let Some(end) = rest[start..].find(END) else {
            return EMPTY.to_vec();
        };
        kept.push_str(&rest[..start]);
        rest = &rest[start + end + END.len()..];
    }
    kept.push_str(rest);
    if without_secrets(kept.as_bytes()) == kept.as_bytes() {
        kept.into_bytes()
    } else {
        EMPTY.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_maven_keep_the_mirror_and_lose_the_login() {
        let kept = |text: &str| String::from_utf8(without_servers(text.as_bytes())).unwrap();
        let mirror = "<mirrors><mirror><url>https://maven.example.com</url></mirror></mirrors>";
        let login = "<server><id>a</id>\n<password>b</password></server>";
        assert_eq!(
            kept(&format!(
                "<settings>\n{mirror}\n<servers>\n{login}\n</servers>\n</settings>\n"
            )),
            format!("<settings>\n{mirror}\n\n</settings>\n")
        );
        for text in [
            format!("<settings>{mirror}<servers >{login}</servers></settings>"),
            format!("<settings>{mirror}<servers>{login}"),
            "<settings><proxy><password>b</password></proxy></settings>".to_owned(),
            "<settings><url>https://u:p@maven.example.com</url></settings>".to_owned(),
        ] {
            assert_eq!(kept(&text), "<settings/>\n", "{text}");
        }
    }

    #[test]
    fn settings_keep_the_registry_and_lose_the_login() {
        let text = "registry=https://npm.example.com/\n//npm.example.com/:_authToken=abc\nfund=false\nindex-url = https://u:p@pip.example.com/simple\n";
        let kept = without_secrets(text.as_bytes());
        assert_eq!(
            String::from_utf8(kept).unwrap(),
            "registry=https://npm.example.com/\nfund=false\n"
        );
    }

    #[test]
    fn a_renewed_login_has_the_form_of_the_old_one() {
        let old = br#"{"oauth": {"access": "a", "expires": 1}, "user": "x"}"#;
        for (new, same) in [
            (
                &br#"{"oauth": {"access": "b", "expires": 2}, "user": "x"}"#[..],
                true,
            ),
            (br#"{"oauth": {"access": "b"}, "user": "x"}"#, false),
            (
                br#"{"oauth": {"access": {"x": 1}, "expires": 2}, "user": "x"}"#,
                false,
            ),
            (
                br#"{"oauth": {"access": "b", "expires": 2}, "user": "x", "hook": "sh"}"#,
                false,
            ),
            (b"not json", false),
            (b"", false),
        ] {
            assert_eq!(has_same_form(old, new), same);
        }
        assert!(!has_same_form(b"export A=1", b"export A=2"));
    }
}
