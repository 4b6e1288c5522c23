//! References to pull requests, as people and agents write them.

use std::fmt;

/// A repository on a forge.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Repository {
    owner: String,
    name: String,
}

/// A pull request, and where it lives when the reference said so.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PrReference {
    repository: Repository,
    /// From 1 to `i32::MAX`, since GraphQL numbers are signed 32-bit integers. All code after the
    /// contract has numbers of pull requests and issues as `u32`.
    number: u32,
    /// `host` or `host:port` of the URL it was given as. `None` means the
    /// forge that baton is configured for.
    host: Option<String>,
}

/// Why a text is no reference to a pull request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadReference {
    #[error("the reference to a pull request is empty; {FORMS}")]
    Empty,
    #[error("'{0}' is no reference to a pull request; {FORMS}")]
    Unreadable(String),
    #[error("'{0}' names no pull request, only a repository; add its number, as in '{0}#12'")]
    NoNumber(String),
    #[error(
        "'{0}' is a number without a repository; run inside a checkout, or write 'owner/repo#{0}'"
    )]
    NoRepository(u32),
    #[error("'{0}' is no number of a pull request; it must be between 1 and {max}", max = i32::MAX)]
    BadNumber(String),
    #[error("'{0}' is no owner on GitHub; letters, digits, '-' and '_' make one, 100 at most")]
    BadOwner(String),
    #[error(
        "'{0}' is no repository name on GitHub; letters, digits, '-', '_' and '.' make one, 100 at most"
    )]
    BadRepository(String),
    #[error("the URL carries a user name or password; leave the part before '@' out")]
    Credentials,
}

const FORMS: &str = "write 'owner/repo#12', 'owner/repo/pull/12' or the pull request's URL";

impl Repository {
    pub fn new(owner: &str, name: &str) -> Result<Self, BadReference> {
        let allowed = |text: &str, more: &str| {
            (1..=100).contains(&text.len())
                && text
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || more.contains(c))
        };
        if !allowed(owner, "-_") || owner.starts_with('-') {
            return Err(BadReference::BadOwner(excerpt(owner)));
        }
        if !allowed(name, "-_.") || name == "." || name == ".." {
            return Err(BadReference::BadRepository(excerpt(name)));
        }
        Ok(Self {
            owner: owner.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Reads `owner/repo`.
    pub fn parse(text: &str) -> Result<Self, BadReference> {
        match text.split_once('/') {
            Some((owner, name)) => Self::new(owner, name),
            None => Err(BadReference::Unreadable(excerpt(text))),
        }
    }

    /// The host and repository behind a git remote's URL: `https://`, `http://`,
    /// `ssh://`, `git://`, or the `user@host:path` form of scp. A path on this
    /// machine is none.
    pub fn from_remote(url: &str) -> Option<(String, Self)> {
        let (authority, path) = match url.split_once("://") {
            Some(("https" | "http" | "ssh" | "git" | "git+ssh", rest)) => rest.split_once('/')?,
            Some(_) => return None,
            None => url
                .split_once(':')
                .filter(|(host, _)| !host.contains('/'))?,
        };
        // Credentials before the `@` are not kept.
        let host = authority.rsplit('@').next()?;
        if !is_host(host) {
            return None;
        }
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let (owner, name) = path.split_once('/')?;
        let repository = Self::new(owner, name).ok()?;
        Some((page_host(host), repository))
    }

    pub fn owner(&self) -> &str {
        &self.owner
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

impl PrReference {
    pub fn new(repository: Repository, number: u32) -> Result<Self, BadReference> {
        if number == 0 || i32::try_from(number).is_err() {
            return Err(BadReference::BadNumber(number.to_string()));
        }
        Ok(Self {
            repository,
            number,
            host: None,
        })
    }

    /// Reads `owner/repo#1`, `owner/repo/pull/1`, `owner/repo/pulls/1`, the
    /// URL of a pull request's page or API resource on any host, or, where
    /// `default` says which repository is meant, `1` and `#1`.
    pub fn parse(text: &str, default: Option<&Repository>) -> Result<Self, BadReference> {
        let text = text.trim();
        if text.is_empty() {
            return Err(BadReference::Empty);
        }
        if let Some(rest) = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
        {
            return Self::parse_url(text, rest);
        }
        let digits = text.strip_prefix('#').unwrap_or(text);
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            let number = parse_number(digits)?;
            let repository = default.ok_or(BadReference::NoRepository(number))?;
            return Self::new(repository.clone(), number);
        }
        Self::parse_short(text)
    }

    fn parse_short(text: &str) -> Result<Self, BadReference> {
        if let Some((repository, number)) = text.split_once('#') {
            let repository = Repository::parse(repository)
                .map_err(|error| unreadable_unless_close(error, text))?;
            return Self::new(repository, parse_number(number)?);
        }
        match text.split('/').collect::<Vec<_>>()[..] {
            [owner, name, "pull" | "pulls", number] => {
                Self::new(Repository::new(owner, name)?, parse_number(number)?)
            }
            [owner, name] if Repository::new(owner, name).is_ok() => {
                Err(BadReference::NoNumber(excerpt(text)))
            }
            _ => Err(BadReference::Unreadable(excerpt(text))),
        }
    }

    /// `rest` is the URL without its scheme.
    fn parse_url(text: &str, rest: &str) -> Result<Self, BadReference> {
        let unreadable = || BadReference::Unreadable(excerpt(text));
        let end = rest.find(['?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest[..end].split_once('/').ok_or_else(unreadable)?;
        if authority.contains('@') {
            return Err(BadReference::Credentials);
        }
        if !is_host(authority) {
            return Err(unreadable());
        }
        let segments: Vec<_> = path.split('/').filter(|s| !s.is_empty()).collect();
        // Pages may go on behind the number (`/files`, `/commits/<sha>`).
        let (["api", "v3", "repos", owner, name, "pulls", number, ..]
        | ["repos", owner, name, "pulls", number, ..]
        | [owner, name, "pull" | "pulls", number, ..]) = segments[..]
        else {
            return Err(unreadable());
        };
        let reference = Self::new(Repository::new(owner, name)?, parse_number(number)?)?;
        Ok(Self {
            host: Some(page_host(authority)),
            ..reference
        })
    }

    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    pub fn number(&self) -> u32 {
        self.number
    }

    /// The host of the page, when the reference was a URL.
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }
}

/// The normal form, `owner/repo#1`.
impl fmt::Display for PrReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.repository, self.number)
    }
}

fn parse_number(text: &str) -> Result<u32, BadReference> {
    let bad = || BadReference::BadNumber(excerpt(text));
    // `u32::from_str` would take a leading plus sign.
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    match text.parse() {
        Ok(number) if (1..=i32::MAX.cast_unsigned()).contains(&number) => Ok(number),
        _ => Err(bad()),
    }
}

/// `host`, `host:port`, `[::1]:port`.
fn is_host(authority: &str) -> bool {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let port_is_fine = port.is_none_or(|p| p.parse::<u16>().is_ok());
    let host_is_fine = match host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !host.is_empty()
                && host
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-._".contains(c))
        }
    };
    port_is_fine && host_is_fine
}

/// The host a person would open: `api.github.com` serves `github.com`.
fn page_host(authority: &str) -> String {
    let host = authority.to_ascii_lowercase();
    match host.as_str() {
        "api.github.com" | "www.github.com" => "github.com".to_owned(),
        _ => host,
    }
}

/// `a/b/c#1` is not a repository with an odd name; it is no reference at all.
fn unreadable_unless_close(error: BadReference, text: &str) -> BadReference {
    let head = text.split('#').next().unwrap_or_default();
    if head.matches('/').count() == 1 {
        error
    } else {
        BadReference::Unreadable(excerpt(text))
    }
}

/// Foreign text in a message: short, and without anything a terminal obeys.
fn excerpt(text: &str) -> String {
    const MAX_LEN: usize = 80;
    let mut shown: String = text
        .chars()
        .take(MAX_LEN)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(MAX_LEN).is_some() {
        shown.push('…');
    }
    shown
}
