//! Columns of text, as wide as what is in them, or as narrow as the terminal.

use text::visible;
use textwrap::core::display_width;

use super::paint::{Ink, Paint};

/// A cell: a text and how it looks.
pub type Cell = (String, Option<Ink>);

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The heading of the column.
    pub heading: &'static str,
    /// What happens to it when the table is wider than the terminal.
    pub narrow: Narrow,
}

/// What happens to a column when the table is too wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// It stays as it is.
    Keep,
    /// It is left out; the lowest number first.
    Drop(u8),
    /// Its texts are cut at the end.
    CutEnd,
    /// Its texts are cut at the beginning: the end of a path says more.
    CutStart,
}

/// The least width of a column that is cut.
const LEAST: usize = 12;

/// The blanks between two columns.
const GAP: usize = 2;

/// The rows under their headings, at most `width` columns of the terminal wide as far as the columns allow. A column that is empty in every row is
/// left out. Control characters are escaped.
pub fn fitted(columns: &[Column], rows: &[Vec<Cell>], width: Option<usize>, paint: Paint) -> String {
    let clean = |(text, ink): &Cell| (visible(text).into_owned(), *ink);
    let rows: Vec<Vec<Cell>> = rows.iter().map(|row| row.iter().map(clean).collect()).collect();
    let shown = fit(widths(columns, &rows), columns, width);
    let heading: Vec<Cell> = columns.iter().map(|column| (column.heading.to_owned(), Some(Ink::Faint))).collect();
    let mut out = String::new();
    for row in std::iter::once(&heading).chain(&rows) {
        let mut line = String::new();
        let mut blanks = 0;
        for (column, width) in &shown {
            let (text, ink) = &row[*column];
            let text = cut(text, *width, columns[*column].narrow);
            if !text.is_empty() {
                line.push_str(&" ".repeat(blanks));
                line.push_str(&ink.map_or_else(|| text.clone(), |ink| paint.ink(ink, &text)));
                blanks = 0;
            }
            blanks += width.saturating_sub(display_width(&text)) + GAP;
        }
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// How wide the table is when nothing is cut or left out.
pub fn whole_width(columns: &[Column], rows: &[Vec<Cell>]) -> usize {
    total(&widths(columns, rows))
}

/// The columns that are not empty, by their indices, with their widths.
fn widths(columns: &[Column], rows: &[Vec<Cell>]) -> Vec<(usize, usize)> {
    let widest = |column: usize| rows.iter().map(|row| display_width(&row[column].0)).max().unwrap_or(0);
    let all = columns.iter().enumerate().map(|(index, column)| (index, widest(index), column));
    let filled = all.filter(|(_, width, _)| *width > 0);
    filled.map(|(index, width, column)| (index, width.max(display_width(column.heading)))).collect()
}

fn total(shown: &[(usize, usize)]) -> usize {
    shown.iter().map(|(_, width)| width).sum::<usize>() + GAP * shown.len().saturating_sub(1)
}

/// Leaves out and narrows columns until the table has `width`.
fn fit(mut shown: Vec<(usize, usize)>, columns: &[Column], width: Option<usize>) -> Vec<(usize, usize)> {
    let Some(width) = width else { return shown };
    let rank = |(column, _): &(usize, usize)| match columns[*column].narrow {
        Narrow::Drop(rank) => Some(rank),
        _ => None,
    };
    while total(&shown) > width {
        let first = shown.iter().enumerate().filter_map(|(at, column)| Some((rank(column)?, at))).min();
        let Some((_, at)) = first else { break };
        shown.remove(at);
    }
    while total(&shown) > width {
        let is_cut = |column: usize| matches!(columns[column].narrow, Narrow::CutEnd | Narrow::CutStart);
        let widest = shown.iter_mut().filter(|(column, width)| is_cut(*column) && *width > LEAST);
        let Some((_, widest)) = widest.max_by_key(|(_, width)| *width) else { break };
        *widest -= 1;
    }
    shown
}

/// A text in a column of this width.
fn cut(text: &str, width: usize, narrow: Narrow) -> String {
    if display_width(text) <= width || !matches!(narrow, Narrow::CutEnd | Narrow::CutStart) {
        return text.to_owned();
    }
    let fits = |end: &String| display_width(end) < width;
    if narrow == Narrow::CutEnd {
        let mut kept = String::new();
        for found in text.chars() {
            kept.push(found);
            if !fits(&kept) {
                kept.pop();
                break;
            }
        }
        return format!("{}…", kept.trim_end());
    }
    let starts = text.char_indices().map(|(at, _)| text[at..].to_owned());
    let kept = starts.into_iter().find(fits).unwrap_or_default();
    format!("…{kept}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_empty_ones_left_out() {
        let cell = |text: &str| (text.to_owned(), None);
        let rows = [vec![cell("a"), cell(""), cell("bb"), cell("c")], vec![cell("äää"), cell(""), cell(""), cell("d")]];
        let columns = ["ONE", "TWO", "B", "C"].map(|heading| Column { heading, narrow: Narrow::Keep });
        let text = fitted(&columns, &rows, None, Paint::Plain);
        assert_eq!(text, "ONE  B   C\na    bb  c\näää      d\n");
    }

    const COLUMNS: [Column; 4] = [
        Column { heading: "PATH", narrow: Narrow::CutStart },
        Column { heading: "KIND", narrow: Narrow::Drop(1) },
        Column { heading: "WHY", narrow: Narrow::Drop(0) },
        Column { heading: "TEXT", narrow: Narrow::CutEnd },
    ];

    #[test]
    fn a_table_that_is_too_wide_loses_columns_and_then_letters() {
        let cell = |text: &str| (text.to_owned(), None);
        let rows = [vec![cell("clusters/prod/apps/shop"), cell("helm"), cell("because"), cell("日本 two 日本 three")]];
        let at = |width| fitted(&COLUMNS, &rows, width, Paint::Plain).lines().nth(1).unwrap().to_owned();
        assert_eq!(at(None), "clusters/prod/apps/shop  helm  because  日本 two 日本 three");
        assert_eq!(whole_width(&COLUMNS, &rows), 59);
        assert_eq!(at(Some(58)), "clusters/prod/apps/shop  helm  日本 two 日本 three");
        assert_eq!(at(Some(48)), "clusters/prod/apps/shop  日本 two 日本 three");
        assert_eq!(at(Some(40)), "…ers/prod/apps/shop  日本 two 日本 three");
        assert_eq!(at(Some(30)), "…rod/apps/shop  日本 two 日本…");
        for width in 28..60 {
            assert!(display_width(&at(Some(width))) <= width, "{width}: {}", at(Some(width)));
        }
    }
}
