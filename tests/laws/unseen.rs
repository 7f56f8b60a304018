//! A second, independent definition of characters that are invisible or that a terminal obeys: by their purpose, not
//! by the program's table.

/// Whether a character is invisible, or a terminal obeys it.
pub(crate) fn is_unseen(found: char) -> bool {
    let turns_the_direction =
        matches!(found, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let ends_a_line = matches!(found, '\u{2028}' | '\u{2029}');
    let has_no_width = matches!(
        found,
        '\u{ad}' | '\u{34f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
    );
    let chooses_a_variant =
        matches!(found, '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    let fills_a_syllable = matches!(found, '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}');
    let annotates = matches!(found, '\u{fff0}'..='\u{fffb}');
    let is_notation = matches!(found, '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}');
    let is_a_tag = matches!(found, '\u{e0000}'..='\u{e0fff}');
    found.is_control()
        || turns_the_direction
        || ends_a_line
        || has_no_width
        || chooses_a_variant
        || fills_a_syllable
        || annotates
        || is_notation
        || is_a_tag
}

/// The same, without the characters that change how the emoji before them is drawn.
pub(crate) fn is_hidden(found: char) -> bool {
    is_unseen(found) && !matches!(found, '\u{200d}' | '\u{fe0f}')
}

#[test]
fn the_program_and_the_laws_agree_about_every_character() {
    let differs = |found: &char| is_unseen(*found) != text::is_unseen(*found);
    let found: Vec<char> = ('\0'..=char::MAX).filter(differs).collect();
    assert!(found.is_empty(), "{found:?}");
}
