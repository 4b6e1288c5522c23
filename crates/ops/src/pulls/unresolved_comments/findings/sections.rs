//! Folded sections: `<details><summary>name</summary> … </details>`.

use super::anchor;

/// Deeper ones are counted and not named.
const DEEPEST: usize = 16;
const MAX_NAME_LEN: usize = 400;

/// A piece of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    NameBegins,
    NameEnds,
    Text(&'a str),
}

/// The tags that matter and the text between them. Tags that only change how
/// something looks are left out.
pub(super) fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find('<') {
        let (before, from) = rest.split_at(start);
        let Some((length, token)) = tag(from) else {
            // Not one of ours: text up to the next.
            let end = from[1..].find('<').map_or(from.len(), |next| next + 1);
            push_text(&mut tokens, &rest[..start + end]);
            rest = &from[end..];
            continue;
        };
        push_text(&mut tokens, before);
        tokens.extend(token);
        rest = &from[length..];
    }
    push_text(&mut tokens, rest);
    tokens
}

fn push_text<'a>(tokens: &mut Vec<Token<'a>>, text: &'a str) {
    if !text.is_empty() {
        tokens.push(Token::Text(text));
    }
}

/// The tag at the beginning of the text, and how long it is.
fn tag(text: &str) -> Option<(usize, Option<Token<'static>>)> {
    let end = text.find('>')?;
    let inside = text[1..end].trim().to_ascii_lowercase();
    let name = inside.split_whitespace().next()?;
    let token = match name {
        "details" => Some(Token::Open),
        "/details" => Some(Token::Close),
        "summary" => Some(Token::NameBegins),
        "/summary" => Some(Token::NameEnds),
        "blockquote" | "/blockquote" | "br" | "br/" | "p" | "/p" => None,
        _ => return None,
    };
    Some((end + 1, token))
}

/// The sections that are open, outermost first.
#[derive(Default)]
pub(super) struct Sections {
    open: Vec<Section>,
    /// Open beyond [`DEEPEST`].
    deeper: usize,
    /// The name that is being read.
    name: Option<String>,
}

#[derive(Default)]
struct Section {
    name: String,
    /// The file that it is about.
    file: Option<String>,
    /// Nothing in it asks for anything.
    ignored: bool,
}

/// Sections of bots that repeat what is elsewhere, or say how it was made.
const IGNORED: &[&str] = &[
    "additional comments",
    "additional context",
    "analysis chain",
    "commits",
    "context used",
    "files ignored",
    "files selected",
    "finishing touches",
    "prompt for",
    "review details",
    "review info",
    "tips",
    "verification agent",
];

impl Sections {
    pub(super) fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::Open if self.open.len() == DEEPEST => self.deeper += 1,
            Token::Open => {
                let ignored = self.is_ignored();
                self.open.push(Section {
                    ignored,
                    ..Section::default()
                });
            }
            Token::Close if self.deeper > 0 => self.deeper -= 1,
            Token::Close => {
                self.name = None;
                self.open.pop();
            }
            Token::NameBegins => self.name = Some(String::new()),
            Token::NameEnds => {
                if let Some(name) = self.name.take()
                    && self.deeper == 0
                    && let Some(section) = self.open.last_mut()
                {
                    section.set_name(&name);
                }
            }
            Token::Text(_) => {}
        }
    }

    /// Whether the text is part of a name.
    pub(super) fn take_name(&mut self, text: &str) -> bool {
        match &mut self.name {
            Some(name) if name.len() < MAX_NAME_LEN => {
                *name += text;
                true
            }
            Some(_) => true,
            None => false,
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len() + self.deeper
    }

    pub(super) fn is_ignored(&self) -> bool {
        self.open.last().is_some_and(|section| section.ignored)
    }

    /// The file that the innermost section about one is about.
    pub(super) fn file(&self) -> Option<&str> {
        let mut innermost = self.open.iter().rev();
        innermost.find_map(|section| section.file.as_deref())
    }

    /// What the outermost section calls what is in it.
    pub(super) fn category(&self) -> Option<String> {
        let named = |section: &&Section| section.file.is_none() && !section.name.is_empty();
        self.open
            .iter()
            .find(named)
            .map(|section| section.name.clone())
    }
}

impl Section {
    fn set_name(&mut self, name: &str) {
        let (name, counted) = without_count(name.trim());
        if counted && anchor::is_path(name) {
            self.file = Some(name.to_owned());
        }
        // A sign stands before the words.
        let name = name.trim_start_matches(|character: char| !character.is_alphanumeric());
        name.clone_into(&mut self.name);
        let name = name.to_lowercase();
        self.ignored |= IGNORED.iter().any(|ignored| name.contains(ignored));
    }
}

/// `name (3)`
fn without_count(name: &str) -> (&str, bool) {
    let counted = name.strip_suffix(')').and_then(|name| {
        let (name, count) = name.rsplit_once(" (")?;
        let is_number = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(name)
    });
    match counted {
        Some(name) => (name, true),
        None => (name, false),
    }
}
