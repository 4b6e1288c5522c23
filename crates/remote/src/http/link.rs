//! `Link` headers (RFC 8288), as far as paging needs them.

/// The target of the first link with the relation `next`.
///
/// The header may contain anything; what cannot be parsed is skipped.
pub fn next_page(header: &str) -> Option<&str> {
    let mut rest = header;
    while let Some((_, after)) = rest.split_once('<') {
        let (target, after) = after.split_once('>')?;
        let (parameters, after) = split_at_comma(after);
        if is_next(parameters) {
            return Some(target.trim());
        }
        rest = after;
    }
    None
}

/// The parameters of one link, and what follows them. A comma may also stand
/// inside a quoted value.
fn split_at_comma(text: &str) -> (&str, &str) {
    match unquoted(text, ',').next() {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, ""),
    }
}

fn is_next(parameters: &str) -> bool {
    let mut start = 0;
    let ends = unquoted(parameters, ';').chain([parameters.len()]);
    for end in ends {
        let parameter = &parameters[start..end];
        start = (end + 1).min(parameters.len());
        let Some((name, value)) = parameter.split_once('=') else {
            continue;
        };
        if name.trim().eq_ignore_ascii_case("rel") {
            // Only the first `rel` counts.
            let relations = value.trim().trim_matches('"');
            return relations
                .split_ascii_whitespace()
                .any(|relation| relation.eq_ignore_ascii_case("next"));
        }
    }
    false
}

/// Where `separator` stands outside of quotes.
fn unquoted(text: &str, separator: char) -> impl Iterator<Item = usize> {
    let mut quoted = false;
    let mut escaped = false;
    text.char_indices()
        .filter(move |&(_, character)| {
            if escaped {
                escaped = false;
                return false;
            }
            match character {
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                _ => {}
            }
            !quoted && character == separator
        })
        .map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::next_page;

    #[test]
    fn the_next_page_is_found_wherever_it_stands() {
        for (header, next) in [
            (
                r#"<https://h/a?page=2>; rel="next", <https://h/a?page=9>; rel="last""#,
                Some("https://h/a?page=2"),
            ),
            (
                r#"<https://h/a?page=1>; rel="prev", <https://h/a?page=3>; rel="next""#,
                Some("https://h/a?page=3"),
            ),
            (r"<https://h/a,b;c>;rel=next", Some("https://h/a,b;c")),
            (
                r#"<x>; title="a, <y>; rel=next"; REL="last NEXT""#,
                Some("x"),
            ),
            (r#"<x>; title="\", "; rel=next"#, Some("x")),
            (r"<x>; rel=prev; rel=next", None),
            (r#"<x>; rel="nextish""#, None),
            (r"<x>; rev=next", None),
            (r"<x", None),
            ("", None),
        ] {
            assert_eq!(next_page(header), next, "{header}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_survived(header in any::<String>()) {
            next_page(&header);
        }

        #[test]
        fn what_looks_like_links_is_survived(header in "[<>;,\"\\\\=a-c relnxt]{0,60}") {
            if let Some(target) = next_page(&header) {
                prop_assert!(header.contains(target));
            }
        }

        #[test]
        fn a_link_is_found_among_others(
            target in "[a-z0-9:/?&=,;%]{1,30}",
            others in proptest::collection::vec("<[a-z,;]{0,9}>; rel=\"(prev|last|first)\"", 0..4),
            position in any::<prop::sample::Index>(),
        ) {
            let mut links = others;
            let position = position.index(links.len() + 1);
            links.insert(position, format!("<{target}>; rel=\"next\""));
            let header = links.join(", ");
            prop_assert_eq!(next_page(&header), Some(&*target));
        }
    }
}
