//! The table of a forecast for terminals.

use preview::{Forecast, ForecastRow, ManifestChange};
use text::{listed, visible};
use textwrap::core::display_width;

use super::rows::{Line, has_several_namespaces, lines};
use super::words::{outcome, reason};
use crate::paint::Ink;
use crate::show::Show;

/// The blanks between two columns.
const GAP: usize = 2;

/// The least width of the last column: in a narrower terminal it gets lines of its own.
const LEAST: usize = 30;

/// The most columns of a terminal that names of objects take.
const OBJECT: usize = 40;

/// The cells of a line.
struct Cells {
    /// `PreSync`, and the wave; empty if they are those of the line above.
    when: [String; 2],
    /// `~ !`
    signs: String,
    /// The other columns but the last one, each with its colour.
    columns: Vec<(String, Ink)>,
    why: String,
}

/// The lines of the table, each with an indent; empty without rows. The `heading` is left out where sections have one of their own.
pub(super) fn table(forecast: &Forecast, heading: bool, show: Show) -> String {
    let lines = lines(forecast, show.all);
    if lines.is_empty() {
        return String::new();
    }
    let is_qualified = has_several_namespaces(forecast);
    let has_signs = lines.iter().any(|line| line.row.change != ManifestChange::Same || line.row.is_bad());
    let has_chosen = lines.iter().any(|line| line.row.chosen.is_some());
    let mut rows: Vec<Cells> = Vec::new();
    if heading {
        let mut columns = vec!["OBJECT", "NEXT SYNC"];
        if has_chosen {
            columns.extend(["STRATEGY", "CHOSEN BY"]);
        }
        let columns = columns.iter().map(|text| ((*text).to_owned(), Ink::Faint)).collect();
        rows.push(Cells {
            when: ["WHEN".to_owned(), String::new()],
            signs: String::new(),
            columns,
            why: "WHY".to_owned(),
        });
    }
    let mut above: Option<&ForecastRow> = None;
    for line in &lines {
        let is_repeated = above.is_some_and(|above| above.moment == line.row.moment);
        rows.push(cells(line, is_repeated, is_qualified, has_chosen, show));
        above = Some(line.row);
    }
    print(&rows, heading, has_signs, show)
}

fn cells(line: &Line<'_>, is_repeated: bool, is_qualified: bool, has_chosen: bool, show: Show) -> Cells {
    let row = line.row;
    let when = match row.moment {
        _ if is_repeated => [String::new(), String::new()],
        Some(moment) => [moment.phase.as_str().to_owned(), moment.wave.to_string()],
        None => ["-".to_owned(), String::new()],
    };
    let mark = if row.is_bad() { '!' } else { ' ' };
    let (names, more) = line.names(is_qualified);
    let name = visible(&listed(&names, more)).into_owned();
    let name = if show.width.is_some() && !show.all { cut(&name) } else { name };
    let mut columns =
        vec![(name, Ink::Strong), (visible(&outcome::outcome(row, line.emitted())).into_owned(), outcome::ink(row))];
    if has_chosen {
        let [strategy, by] =
            row.chosen.as_ref().map(|chosen| [chosen.strategy.to_string(), chosen.by.clone()]).unwrap_or_default();
        columns.extend([(strategy, Ink::Plain), (visible(&by).into_owned(), Ink::Plain)]);
    }
    let why = visible(&reason::why(row, show.all)).into_owned();
    Cells { when, signs: format!("{} {mark}", outcome::sign(row.change)), columns, why }
}

/// Cuts a name to at most [`OBJECT`] columns.
fn cut(name: &str) -> String {
    if display_width(name) <= OBJECT {
        return name.to_owned();
    }
    let mut shown = String::new();
    for letter in name.chars() {
        if display_width(&shown) >= OBJECT - 1 {
            break;
        }
        shown.push(letter);
    }
    shown + "…"
}

fn print(rows: &[Cells], heading: bool, has_signs: bool, show: Show) -> String {
    let widest = |of: &dyn Fn(&Cells) -> usize| rows.iter().map(of).max().unwrap_or_default();
    let body = || rows.iter().skip(usize::from(heading));
    let phase = body().map(|row| row.when[0].len()).max().unwrap_or_default();
    let wave = body().map(|row| row.when[1].len()).max().unwrap_or_default();
    let (wave, has_wave) = (wave.max(1), wave > 0);
    let when = if has_wave { phase + GAP + wave } else { phase }.max(if heading { "WHEN".len() } else { 0 });
    let count = rows.first().map_or(0, |row| row.columns.len());
    let widths: Vec<usize> = (0..count).map(|at| widest(&|row| display_width(&row.columns[at].0))).collect();
    let indent = if heading { "" } else { "  " };
    let has_why = body().any(|row| !row.why.is_empty());
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        let is_heading = heading && index == 0;
        let first = match (is_heading, row.when[1].is_empty()) {
            (true, _) | (_, true) => format!("{:<when$}", row.when[0]),
            (false, false) => format!("{:<phase$}{:>rest$}", row.when[0], row.when[1], rest = when - phase),
        };
        let mut line = format!("{indent}{}", if is_heading { show.paint.ink(Ink::Faint, &first) } else { first });
        let mut width = indent.len() + when;
        let signs = match (has_signs, is_heading) {
            (false, _) => String::new(),
            (true, true) => " ".repeat(GAP + 3),
            (true, false) => format!(
                "{}{}",
                " ".repeat(GAP),
                show.paint.ink(if row.signs.ends_with('!') { Ink::Bad } else { Ink::Plain }, &row.signs)
            ),
        };
        width += if has_signs { GAP + 3 } else { 0 };
        line += &signs;
        let gap = if has_signs { 1 } else { GAP };
        for (at, ((text, ink), column)) in row.columns.iter().zip(&widths).enumerate() {
            let gap = if at == 0 { gap } else { GAP };
            line += &" ".repeat(gap);
            line += &show.paint.ink(*ink, text);
            line += &" ".repeat(column - display_width(text));
            width += gap + column;
        }
        let why = if is_heading && !has_why { "" } else { row.why.as_str() };
        if why.is_empty() {
            out += line.trim_end();
        } else {
            out += &with_why(&line, width + GAP, why, is_heading, show);
        }
        out.push('\n');
    }
    out
}

/// The line with its last column, wrapped if the terminal has a width.
fn with_why(line: &str, at: usize, why: &str, is_heading: bool, show: Show) -> String {
    let gap = " ".repeat(GAP);
    if is_heading {
        return format!("{line}{gap}{}", show.paint.ink(Ink::Faint, why));
    }
    let Some(width) = show.width else { return format!("{line}{gap}{why}") };
    let below = "        ";
    let (first, rest) =
        if at + LEAST <= width { (" ".repeat(at), " ".repeat(at)) } else { (below.to_owned(), below.to_owned()) };
    let text = show.wrapped(why, &first, &rest);
    match at + LEAST <= width {
        true => format!("{line}{gap}{}", text.get(at..).unwrap_or_default()),
        false => format!("{}\n{text}", line.trim_end()),
    }
}

/// The table for a comment on a pull request; empty without rows.
pub(super) mod markdown {
    use preview::Forecast;
    use text::listed;

    use super::super::rows::{has_several_namespaces, lines};
    use super::super::words::{outcome, reason};
    use crate::markdown::{At, code, sentence};

    /// The heading, and a line for each row.
    pub(crate) fn table(forecast: &Forecast) -> Vec<String> {
        let lines = lines(forecast, false);
        let has_chosen = lines.iter().any(|line| line.row.chosen.is_some());
        let has_why = lines.iter().any(|line| !line.row.why.is_empty() || line.row.held.is_some());
        let mut heading = vec!["when", "object", "next sync"];
        if has_chosen {
            heading.extend(["strategy", "chosen by"]);
        }
        if has_why {
            heading.push("why");
        }
        let is_qualified = has_several_namespaces(forecast);
        let row = |line: &super::Line<'_>| {
            let row = line.row;
            let (names, more) = line.names(is_qualified);
            let names: Vec<String> = names.iter().map(|name| code(name, At::Cell)).collect();
            let mark = if row.is_bad() { "❗ " } else { "" };
            let when =
                row.moment.map_or("–".to_owned(), |moment| format!("{} {}", moment.phase.as_str(), moment.wave));
            let mut cells = vec![when, format!("{mark}{}", listed(&names, more)), next_sync(line)];
            if has_chosen {
                let chosen = row.chosen.as_ref();
                cells.push(chosen.map(|chosen| code(&chosen.strategy.to_string(), At::Cell)).unwrap_or_default());
                cells.push(chosen.map(|chosen| sentence(&chosen.by, At::Cell)).unwrap_or_default());
            }
            if has_why {
                cells.push(sentence(&reason::why(row, false), At::Cell));
            }
            format!("| {} |\n", cells.join(" | "))
        };
        let head = format!("\n| {} |\n|{}\n", heading.join(" | "), "---|".repeat(heading.len()));
        if lines.is_empty() { Vec::new() } else { std::iter::once(head).chain(lines.iter().map(row)).collect() }
    }

    /// The new name is the user's word.
    fn next_sync(line: &super::Line<'_>) -> String {
        let name = line.emitted().map(|name| format!(", as {}", code(name, At::Cell)));
        sentence(&outcome::words(line.row), At::Cell) + &name.unwrap_or_default()
    }
}
