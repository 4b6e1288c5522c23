//! The login at one server, for the time of one call.
//!
//! A token in an argument or in the environment can be read by whatever git
//! starts. So baton plays the server of git's own `credential-cache`: git asks
//! it over a socket in a private folder, and only about the right server.

use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

use crate::cmd::quote;

use super::harden::{Settings, Trust};
use super::{Git, GitError, Version};

/// A question has some hundred bytes.
const MAX_QUESTION: u64 = 16 * 1024;

/// git asks at once. A client that connects and sends nothing must not keep git waiting.
const QUESTION_LIMIT: Duration = Duration::from_secs(5);

/// A path to a socket must fit into 108 bytes, with `/login` after it.
const MAX_FOLDER_LEN: usize = 80;

/// The first version that can log in before it is asked to.
const PROACTIVE: Version = Version {
    major: 2,
    minor: 46,
    patch: 0,
};

/// Who git is to one server.
#[derive(Clone)]
pub struct Authorization {
    /// `https://github.example.com`: no other server receives it.
    pub origin: String,
    pub username: String,
    pub secret: String,
}

/// Prints no secret.
impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Authorization({}, ***)", self.origin)
    }
}

impl Authorization {
    /// The answer to a question of git's, if it is about this server.
    fn answer(&self, question: &str) -> Option<String> {
        let value = |key: &str| {
            let mut lines = question.lines();
            lines.find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
        };
        let (protocol, host) = self.origin.split_once("://")?;
        let host = host.split('/').next()?;
        let is_ours = value("action")? == "get"
            && value("protocol")?.eq_ignore_ascii_case(protocol)
            && value("host")?.eq_ignore_ascii_case(host);
        let fits = |text: &str| !text.contains(['\n', '\r', '\0']);
        (is_ours && fits(&self.username) && fits(&self.secret))
            .then(|| format!("username={}\npassword={}\n", self.username, self.secret))
    }
}

/// Answers until it is dropped, which removes the folder.
pub(super) struct LoginSocket {
    _folder: TempDir,
    task: JoinHandle<()>,
}

impl LoginSocket {
    fn serve(login: Authorization, folder: TempDir) -> io::Result<Self> {
        let listener = UnixListener::bind(folder.path().join("login"))?;
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // Whether it was understood is git's to say.
                let _ = tokio::time::timeout(QUESTION_LIMIT, converse(stream, &login)).await;
            }
        });
        Ok(Self {
            _folder: folder,
            task,
        })
    }
}

impl Drop for LoginSocket {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn converse(mut stream: UnixStream, login: &Authorization) -> io::Result<()> {
    let mut question = String::new();
    (&mut stream)
        .take(MAX_QUESTION)
        .read_to_string(&mut question)
        .await?;
    if let Some(answer) = login.answer(&question) {
        stream.write_all(answer.as_bytes()).await?;
    }
    stream.shutdown().await
}

impl Git {
    /// git's credentials for one server. Calls that talk to it use them instead
    /// of asking the user's credential helpers; other servers never see them.
    /// Where the repository is trusted to run hooks, they are not used.
    #[must_use]
    pub fn with_login(mut self, login: Option<Authorization>) -> Self {
        self.login = login;
        self
    }

    pub(super) fn serve_login(
        &self,
        settings: &mut Settings,
        doing: &str,
    ) -> Result<Option<LoginSocket>, GitError> {
        let Some(login) = &self.login else {
            return Ok(None);
        };
        if self.trust == Trust::Repository {
            return Ok(None);
        }
        let temporary = self.environment.temporary_folder();
        let is_short = temporary.as_os_str().len() <= MAX_FOLDER_LEN;
        let parent = if is_short {
            &temporary
        } else {
            Path::new("/tmp")
        };
        let served = TempDir::with_prefix_in("baton-login-", parent).and_then(|folder| {
            let socket = folder.path().join("login");
            Ok((LoginSocket::serve(login.clone(), folder)?, socket))
        });
        let (served, socket) = served.map_err(|source| GitError::File {
            doing: doing.to_owned(),
            source,
        })?;
        let origin = &login.origin;
        let helper = format!("credential.{origin}.helper");
        // The empty one forgets those that the user has for this server.
        settings.add(&helper, "");
        let socket = quote(&socket);
        settings.add(&helper, format!("cache --socket {socket}"));
        if self.version >= PROACTIVE {
            settings.add(format!("http.{origin}.proactiveAuth"), "basic");
        }
        Ok(Some(served))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_server_is_answered() {
        let login = Authorization {
            origin: "https://git.example.com:8443".to_owned(),
            username: "x".to_owned(),
            secret: "s3cret".to_owned(),
        };
        let ask = |question: &str| login.answer(question);
        let right = "action=get\ntimeout=900\nprotocol=https\nhost=git.example.com:8443\n";
        assert_eq!(ask(right).unwrap(), "username=x\npassword=s3cret\n");
        for wrong in [
            "action=get\nprotocol=https\nhost=git.example.com\n",
            "action=get\nprotocol=http\nhost=git.example.com:8443\n",
            "action=get\nprotocol=https\nhost=evil.example.com\nhost=git.example.com:8443\n",
            "action=store\nprotocol=https\nhost=git.example.com:8443\n",
            "protocol=https\nhost=git.example.com:8443\n",
            "",
        ] {
            assert_eq!(ask(wrong), None, "{wrong}");
        }
        let split = Authorization {
            secret: "a\nb".to_owned(),
            ..login.clone()
        };
        assert_eq!(split.answer(right), None);
        assert_eq!(
            format!("{login:?}"),
            "Authorization(https://git.example.com:8443, ***)"
        );
    }
}
