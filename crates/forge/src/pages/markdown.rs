//! Markdown of strangers, made into markup that does no harm.

use pulldown_cmark::{Alignment, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};

use super::html::Html;
use super::prelude::*;

/// GitHub's own limit for texts is far below; files may be longer and are cut.
const MAX_LEN: usize = 512 << 10;

/// Where a text stands, for the links in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// The address of the repository, such as `/octo/demo`.
    pub(super) home: &'a str,
    /// Where files next to the text are, such as `/octo/demo/blob/main/docs`.
    pub(super) folder: &'a str,
}

/// No raw HTML comes through, no picture is fetched, and a link leads to the
/// web, to an e-mail address or to a place on the forge. `#12` leads to that
/// issue.
pub(super) fn render(text: &str, place: Place<'_>) -> Html {
    let text = visible(&text[..text.floor_char_boundary(MAX_LEN)]);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let mut depth = Depth::default();
    let events = Parser::new_ext(&text, options)
        .map(|event| harmless(event, place))
        .flat_map(|event| {
            depth.pass(&event);
            match event {
                Event::Text(text) if depth.is_prose() => with_references(text, place.home),
                other => vec![other],
            }
        });
    let mut markup = String::with_capacity(text.len() + text.len() / 2);
    html::push_html(&mut markup, events);
    Html::trusted(markup)
}

/// Where text is not to be touched.
#[derive(Default)]
struct Depth {
    links: usize,
    code: usize,
}

impl Depth {
    fn pass(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Link { .. }) => self.links += 1,
            Event::End(TagEnd::Link) => self.links = self.links.saturating_sub(1),
            Event::Start(Tag::CodeBlock(_)) => self.code += 1,
            Event::End(TagEnd::CodeBlock) => self.code = self.code.saturating_sub(1),
            _ => {}
        }
    }

    fn is_prose(&self) -> bool {
        self.links == 0 && self.code == 0
    }
}

fn harmless<'a>(event: Event<'a>, place: Place<'_>) -> Event<'a> {
    match event {
        // Shown as what was written.
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => Event::Start(Tag::Link {
            link_type,
            dest_url: target(dest_url, place),
            title,
            id,
        }),
        // A picture elsewhere would tell its host who reads this.
        Event::Start(Tag::Image {
            dest_url,
            title,
            id,
            ..
        }) => Event::Start(Tag::Link {
            link_type: LinkType::Inline,
            dest_url: target(dest_url, place),
            title,
            id,
        }),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        // Alignment would be written as a style, which the page's policy forbids.
        Event::Start(Tag::Table(columns)) => {
            Event::Start(Tag::Table(vec![Alignment::None; columns.len()]))
        }
        other => other,
    }
}

fn target<'a>(target: CowStr<'a>, place: Place<'_>) -> CowStr<'a> {
    // Browsers skip blanks and control characters in a scheme.
    let plain: String = target
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .collect();
    let lower = plain.to_ascii_lowercase();
    let scheme_end = lower.find([':', '/', '?', '#']);
    let has_scheme = scheme_end.is_some_and(|end| lower.as_bytes()[end] == b':');
    let is_known = ["http:", "https:", "mailto:"]
        .iter()
        .any(|scheme| lower.starts_with(scheme));
    if has_scheme && !is_known {
        return CowStr::Borrowed("#");
    }
    if has_scheme || plain.is_empty() || plain.starts_with(['/', '#', '?']) {
        return target;
    }
    format!("{}/{target}", place.folder).into()
}

/// Turns `#12` into a link.
fn with_references<'a>(text: CowStr<'a>, home: &str) -> Vec<Event<'a>> {
    let mut events = Vec::new();
    let mut rest: &str = &text;
    let mut done = 0;
    while let Some(at) = rest.find('#') {
        let digits = rest[at + 1..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len() - at - 1);
        let before = rest[..at].chars().next_back();
        let after = rest[at + 1 + digits..].chars().next();
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let end = at + 1 + digits;
        if (1..=9).contains(&digits) && !is_word(before) && !is_word(after) {
            push_text(&mut events, &rest[..at]);
            let number = &rest[at + 1..end];
            events.push(Event::Start(Tag::Link {
                link_type: LinkType::Inline,
                dest_url: format!("{home}/issues/{number}").into(),
                title: CowStr::Borrowed(""),
                id: CowStr::Borrowed(""),
            }));
            push_text(&mut events, &rest[at..end]);
            events.push(Event::End(TagEnd::Link));
        } else {
            push_text(&mut events, &rest[..end]);
        }
        done += end;
        rest = &rest[end..];
    }
    if done == 0 {
        return vec![Event::Text(text)];
    }
    push_text(&mut events, rest);
    events
}

fn push_text(events: &mut Vec<Event<'_>>, text: &str) {
    if !text.is_empty() {
        events.push(Event::Text(text.to_owned().into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let place = Place {
            home: "/octo/demo",
            folder: "/octo/demo/blob/main",
        };
        render(text, place).to_string()
    }

    #[test]
    fn markup_is_made() {
        insta::assert_snapshot!(shown("# Title\n\nSome *text* with `code`, ~~not~~ #12.\n\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"), @r#"
        <h1>Title</h1>
        <p>Some <em>text</em> with <code>code</code>, <del>not</del> <a href="/octo/demo/issues/12">#12</a>.</p>
        <ul>
        <li><input disabled="" type="checkbox" checked=""/>
        done</li>
        </ul>
        <table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>
        <tr><td>1</td><td>2</td></tr>
        </tbody></table>
        "#);
    }

    #[test]
    fn nothing_of_a_stranger_is_executed() {
        for evil in [
            "<script>alert(1)</script>",
            "text <img src=x onerror=alert(1)>",
            "<div onclick=\"alert(1)\">\n\nx</div>",
            "[x](javascript:alert(1))",
            "[x](  JavaScript:alert(1))",
            "[x](java\tscript:alert(1))",
            "[x](data:text/html,<script>alert(1)</script>)",
            "![x](javascript:alert(1))",
            "<javascript:alert(1)>",
            "[x](vbscript:x \"onload=alert(1)\")",
            "[a]: javascript:alert(1)\n\n[a]",
            "```<script>\nalert(1)\n```",
            "| <script> |\n|---|\n| <b> |",
        ] {
            let markup = shown(evil);
            let lower = markup.to_ascii_lowercase();
            for bad in [
                "<script",
                "<img",
                "<div onclick",
                "href=\"javascript",
                "href=\"data",
                "href=\"vbscript",
            ] {
                assert!(!lower.contains(bad), "{evil} became {markup}");
            }
        }
    }

    #[test]
    fn pictures_and_links_are_links() {
        insta::assert_snapshot!(shown("![a cat](https://example.org/cat.png) [file](docs/x.md) <https://example.org>"), @r#"<p><a href="https://example.org/cat.png">a cat</a> <a href="/octo/demo/blob/main/docs/x.md">file</a> <a href="https://example.org">https://example.org</a></p>"#);
    }

    #[test]
    fn numbers_of_issues_are_links_only_in_prose() {
        insta::assert_snapshot!(shown("#1 a#2 #3b `#4` [#5](x) (#6) ##7 # #123456789012"), @r#"<p><a href="/octo/demo/issues/1">#1</a> a#2 #3b <code>#4</code> <a href="/octo/demo/blob/main/x">#5</a> (<a href="/octo/demo/issues/6">#6</a>) #<a href="/octo/demo/issues/7">#7</a> # #123456789012</p>"#);
    }

    #[test]
    fn a_very_long_text_is_cut_at_a_character() {
        let long = "ü".repeat(MAX_LEN);
        assert!(shown(&long).len() < MAX_LEN + 100);
    }
}
