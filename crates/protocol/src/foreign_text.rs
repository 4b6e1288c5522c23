//! How text from outside is shown in messages.

/// Foreign text for a message: not so long that it floods it, and without the
/// characters that could pretend to be more messages, colour, or other text
/// than it is (controls and changes of direction).
pub(crate) fn shortened(text: &str) -> String {
    const MAX_LEN: usize = 60;
    let mut shown = String::with_capacity(text.len().min(4 * MAX_LEN));
    for (index, character) in text.chars().enumerate() {
        if index == MAX_LEN {
            shown.push('…');
            break;
        }
        let turns = matches!(character, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        if character.is_control() || turns {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}
