//! The address of a call, built so that a value can never become more than its
//! own segment.

use std::fmt;

use reqwest::Url;

use super::display;
use super::failure::Failure;

/// A path below the base URL.
///
/// It is a template with its values, such as `/repos/{owner}/{repo}`: the
/// values are escaped, and events can name the template, of which there are
/// few, rather than the path, of which there are many.
#[derive(Clone, Debug)]
pub struct Path(Target);

#[derive(Clone, Debug)]
enum Target {
    Template {
        template: &'static str,
        anchor: Anchor,
        /// Escaped, or why it cannot be.
        path: Result<String, Unusable>,
    },
    /// An absolute URL from a response.
    Url(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Base,
    Origin,
}

/// What makes a path unusable.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Unusable {
    /// It would vanish from the path, and the call would be another one.
    EmptyValue { place: String },
    /// Servers and proxies resolve it, escaped or not.
    DotSegment { place: String },
    /// The template and the values do not match: a bug in our code.
    WrongNumber,
}

impl Path {
    /// Fills `{name}` in the template with the values in their order.
    /// `{name}` takes one segment; `{+name}` takes several, whose slashes stay.
    ///
    /// A value that cannot be a segment (empty, `.` or `..`) is reported when
    /// the call is made.
    pub fn new(template: &'static str, values: &[&(dyn fmt::Display + Sync)]) -> Self {
        Self::anchored(Anchor::Base, template, values)
    }

    /// Like [`new`](Self::new), but from the root of the base URL's host, for
    /// an interface that does not stand below the base URL.
    pub fn from_origin(template: &'static str, values: &[&(dyn fmt::Display + Sync)]) -> Self {
        Self::anchored(Anchor::Origin, template, values)
    }

    /// An absolute URL from a response. It is refused unless it has the origin of
    /// the base URL, since the credential is sent with it.
    pub fn url(url: impl Into<String>) -> Self {
        Self(Target::Url(url.into()))
    }

    fn anchored(
        anchor: Anchor,
        template: &'static str,
        values: &[&(dyn fmt::Display + Sync)],
    ) -> Self {
        Self(Target::Template {
            template,
            anchor,
            path: fill(template, values),
        })
    }

    /// For people and events.
    pub(super) fn template(&self) -> Option<&'static str> {
        match &self.0 {
            Target::Template { template, .. } => Some(template),
            Target::Url(_) => None,
        }
    }

    /// As much of the URL as is known whether or not it can be used.
    pub(super) fn display(&self, base: &Url) -> String {
        match &self.0 {
            Target::Template {
                template,
                anchor: Anchor::Base,
                ..
            } => format!("{}{template}", display::target(base).trim_end_matches('/')),
            Target::Template { template, .. } => format!("{}{template}", display::origin(base)),
            Target::Url(text) => match Url::parse(text) {
                Ok(url) => display::url(&url),
                Err(_) => display::excerpt(text),
            },
        }
    }

    /// The whole URL without a query of our own.
    pub(super) fn resolve(&self, base: &Url) -> Result<Url, Failure> {
        match &self.0 {
            Target::Template { anchor, path, .. } => {
                let path = path.as_ref().map_err(|unusable| Failure::Unsendable {
                    reason: unusable.to_string(),
                })?;
                let mut url = base.clone();
                match anchor {
                    Anchor::Origin => url.set_path(path),
                    Anchor::Base if base.path() == "/" => url.set_path(path),
                    Anchor::Base => {
                        url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
                    }
                }
                Ok(url)
            }
            Target::Url(text) => {
                let url = Url::parse(text).map_err(|error| Failure::Unsendable {
                    reason: format!("it is not a URL: {error}"),
                })?;
                if url.origin() == base.origin() {
                    Ok(url)
                } else {
                    Err(Failure::ForeignOrigin {
                        origin: display::origin(&url),
                    })
                }
            }
        }
    }
}

fn fill(template: &str, values: &[&(dyn fmt::Display + Sync)]) -> Result<String, Unusable> {
    let mut path = String::with_capacity(template.len() + 16 * values.len());
    let mut values = values.iter();
    let mut rest = template;
    while let Some((literal, after)) = rest.split_once('{') {
        let (place, after) = after.split_once('}').ok_or(Unusable::WrongNumber)?;
        let value = values.next().ok_or(Unusable::WrongNumber)?.to_string();
        path.push_str(literal);
        match place.strip_prefix('+') {
            Some(place) => {
                for (index, segment) in value.split('/').enumerate() {
                    if index > 0 {
                        path.push('/');
                    }
                    push_segment(&mut path, place, segment)?;
                }
            }
            None => push_segment(&mut path, place, &value)?,
        }
        rest = after;
    }
    if values.next().is_some() {
        return Err(Unusable::WrongNumber);
    }
    path.push_str(rest);
    Ok(path)
}

fn push_segment(path: &mut String, place: &str, segment: &str) -> Result<(), Unusable> {
    let place = || place.to_owned();
    match segment {
        "" => return Err(Unusable::EmptyValue { place: place() }),
        "." | ".." => return Err(Unusable::DotSegment { place: place() }),
        _ => {}
    }
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(char::from(byte));
        } else {
            push_escaped(path, byte);
        }
    }
    Ok(())
}

fn push_escaped(path: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    path.push('%');
    path.push(char::from(DIGITS[usize::from(byte >> 4)]));
    path.push(char::from(DIGITS[usize::from(byte & 15)]));
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyValue { place } => write!(f, "{place} is empty"),
            Self::DotSegment { place } => {
                write!(f, "{place} is a dot segment, which would name another path")
            }
            Self::WrongNumber => f.write_str("the path template and its values do not fit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn resolved(base: &str, path: &Path) -> Result<String, String> {
        let base = Url::parse(base).unwrap();
        path.resolve(&base)
            .map(String::from)
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn values_are_escaped_and_stay_in_their_place() {
        let path = Path::new("/repos/{owner}/{repo}/issues/{n}", &[&"a/b", &"c?d#e%", &7]);
        assert_eq!(
            resolved("https://api.example.com", &path).unwrap(),
            "https://api.example.com/repos/a%2Fb/c%3Fd%23e%25/issues/7"
        );
    }

    #[test]
    fn a_plus_lets_slashes_stay() {
        let path = Path::new("/git/ref/heads/{+branch}", &[&"fix/a b"]);
        assert_eq!(
            resolved("https://h/api/v3/", &path).unwrap(),
            "https://h/api/v3/git/ref/heads/fix/a%20b"
        );
    }

    #[test]
    fn paths_stand_below_the_base_or_at_its_root() {
        let base = "https://h/api/v3";
        assert_eq!(
            resolved(base, &Path::new("/user", &[])).unwrap(),
            "https://h/api/v3/user"
        );
        assert_eq!(
            resolved(base, &Path::from_origin("/api/graphql", &[])).unwrap(),
            "https://h/api/graphql"
        );
    }

    #[test]
    fn values_that_would_change_the_path_are_refused() {
        let refused = |template, value: &str| {
            resolved("https://h", &Path::new(template, &[&value])).unwrap_err()
        };
        insta::assert_snapshot!(refused("/a/{name}/b", ""), @"cannot be sent: name is empty");
        insta::assert_snapshot!(refused("/a/{name}/b", ".."), @"cannot be sent: name is a dot segment, which would name another path");
        insta::assert_snapshot!(refused("/a/{+path}", "x/../../y"), @"cannot be sent: path is a dot segment, which would name another path");
        insta::assert_snapshot!(refused("/a/{+path}", "x//y"), @"cannot be sent: path is empty");
        insta::assert_snapshot!(refused("/a", "x"), @"cannot be sent: the path template and its values do not fit");
    }

    #[test]
    fn urls_of_other_origins_are_refused() {
        let base = "https://api.example.com/v3";
        let own = "https://api.example.com/repositories/1?page=2";
        assert_eq!(resolved(base, &Path::url(own)).unwrap(), own);
        for other in [
            "http://api.example.com/x",
            "https://api.example.com:444/x",
            "https://api.example.com.evil.test/x",
            "https://u:p@evil.test/x?q",
        ] {
            let failure = resolved(base, &Path::url(other)).unwrap_err();
            assert!(failure.starts_with("leads to another host ("), "{failure}");
        }
    }

    proptest! {
        #[test]
        fn any_value_stays_one_segment(value in "\\PC{1,20}") {
            prop_assume!(value != "." && value != "..");
            let url = resolved("https://h", &Path::new("/a/{x}/b", &[&value])).unwrap();
            let url = Url::parse(&url).unwrap();
            prop_assert_eq!(url.path_segments().unwrap().count(), 3);
            prop_assert_eq!(url.query(), None);
            prop_assert_eq!(url.fragment(), None);
        }
    }
}
