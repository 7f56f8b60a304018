//! Columns of text, as wide as what is in them.

use super::paint::{Ink, Paint};
use crate::text::visible;

/// A cell: a text and how it looks.
pub type Cell = (String, Option<Ink>);

/// The rows under their headings, two blanks between columns; nothing of a row is cut. A column that is empty in every row is
/// left out. Control characters are escaped.
pub fn table(headings: &[&str], rows: &[Vec<Cell>], paint: Paint) -> String {
    let clean = |(text, ink): &Cell| (visible(text).into_owned(), *ink);
    let rows: Vec<Vec<Cell>> = rows.iter().map(|row| row.iter().map(clean).collect()).collect();
    let columns = 0..headings.len();
    let width = |column: usize| rows.iter().map(|row| row[column].0.chars().count()).max().unwrap_or(0);
    let shown: Vec<(usize, usize)> = columns
        .map(|column| (column, width(column)))
        .filter(|(_, width)| *width > 0)
        .map(|(column, width)| (column, width.max(headings[column].chars().count())))
        .collect();
    let heading: Vec<Cell> = headings.iter().map(|heading| ((*heading).to_owned(), Some(Ink::Faint))).collect();
    let mut out = String::new();
    for row in std::iter::once(&heading).chain(&rows) {
        let mut line = String::new();
        let mut blanks = 0;
        for (column, width) in &shown {
            let (text, ink) = &row[*column];
            if !text.is_empty() {
                line.push_str(&" ".repeat(blanks));
                line.push_str(&ink.map_or_else(|| text.clone(), |ink| paint.ink(ink, text)));
                blanks = 0;
            }
            blanks += width - text.chars().count() + 2;
        }
        out.push_str(&line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_empty_ones_left_out() {
        let cell = |text: &str| (text.to_owned(), None);
        let rows = [vec![cell("a"), cell(""), cell("bb"), cell("c")], vec![cell("äää"), cell(""), cell(""), cell("d")]];
        let text = table(&["ONE", "TWO", "B", "C"], &rows, Paint::Plain);
        assert_eq!(text, "ONE  B   C\na    bb  c\näää      d\n");
    }
}
