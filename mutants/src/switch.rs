//! Writes mutants into a file, each behind a switch: `crate::mutant::on(17)` is true while mutant 17 is judged.

use std::collections::HashMap;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::list::{Mutant, Position};

/// What marks the text of a mutant in the written file: an error of the compiler in it is the mutant's.
pub const BEGIN: &str = "/*mutant<";
pub const END: &str = "/*mutant>";

/// A file with its mutants in it.
pub struct Written {
    pub text: String,
    /// Those that cannot stand behind a switch.
    pub left_out: Vec<usize>,
}

/// A place in the file where mutants are.
struct Site {
    start: usize,
    end: usize,
    what: What,
}

enum What {
    /// Before the first statement of a function: the values returned instead.
    Value(Vec<(usize, String)>),
    /// Left operand, right operand (as ranges), operator, and the operators instead.
    Binary { left: (usize, usize), right: (usize, usize), operator: String, instead: Vec<(usize, String)> },
    /// An operator before its operand.
    Unary { operator: String, operand: (usize, usize), mutant: usize },
    /// The guard of an arm.
    Guard { always: Option<usize>, never: Option<usize>, deleted: Option<usize> },
    /// After the pattern of an arm without a guard.
    Deleted(usize),
}

/// `text` with the mutants `(number, mutant)` in it. `path` leads to the crate with the switch.
pub fn write(text: &str, mutants: &[(usize, &Mutant)], path: &str) -> Result<Written, syn::Error> {
    let mut finder = Finder { sites: Vec::new(), wanted: HashMap::new(), found: Vec::new() };
    let offsets = Offsets::of(text);
    let mut values: HashMap<usize, Vec<(usize, String)>> = HashMap::new();
    for (number, mutant) in mutants {
        match mutant.genre.as_str() {
            // All values of such a function have one type, and a mutant's is another.
            "FnValue" if mutant.function.as_ref().is_some_and(|function| function.return_type.contains("impl ")) => {}
            "FnValue" => {
                let at = offsets.byte(text, mutant.span.start);
                values.entry(at).or_default().push((*number, mutant.replacement.clone()));
                finder.found.push(*number);
            }
            _ => finder
                .wanted
                .entry((kind(&mutant.genre), mutant.span.start))
                .or_default()
                .push((*number, (*mutant).clone())),
        }
    }
    finder.sites.extend(values.into_iter().map(|(at, values)| Site { start: at, end: at, what: What::Value(values) }));
    finder.visit_file(&syn::parse_file(text)?);
    let left_out = mutants.iter().map(|(number, _)| *number).filter(|number| !finder.found.contains(number)).collect();
    // Outer ones first; of those that begin at one place, what is inserted there, and then the longest.
    finder.sites.sort_by_key(|site| (site.start, site.end != site.start, std::cmp::Reverse(site.end)));
    let writer = Writer { text, sites: &finder.sites, path };
    Ok(Written { text: writer.range(0, text.len()), left_out })
}

/// The genres that a visitor looks for at the same places.
fn kind(genre: &str) -> &'static str {
    match genre {
        "BinaryOperator" => "binary",
        "UnaryOperator" => "unary",
        "MatchArmGuard" => "guard",
        "MatchArm" => "arm",
        _ => "none",
    }
}

struct Finder {
    sites: Vec<Site>,
    wanted: HashMap<(&'static str, Position), Vec<(usize, Mutant)>>,
    found: Vec<usize>,
}

impl Finder {
    fn take(&mut self, kind: &'static str, span: proc_macro2::Span) -> Vec<(usize, Mutant)> {
        let start = span.start();
        let at = Position { line: start.line, column: start.column + 1 };
        let taken = self.wanted.remove(&(kind, at)).unwrap_or_default();
        self.found.extend(taken.iter().map(|(number, _)| *number));
        taken
    }
}

/// A `let` in a condition can be nowhere else.
fn has_let(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

fn range(spanned: &impl Spanned) -> (usize, usize) {
    let range = spanned.span().byte_range();
    (range.start, range.end)
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if !has_let(&binary.left) && !has_let(&binary.right) {
            let taken = self.take("binary", binary.op.span());
            if !taken.is_empty() {
                let (start, end) = range(binary);
                let (left, right) = (range(&binary.left), range(&binary.right));
                let operator = binary.op.span().source_text().unwrap_or_default();
                let instead = taken.into_iter().map(|(number, mutant)| (number, mutant.replacement)).collect();
                self.sites.push(Site { start, end, what: What::Binary { left, right, operator, instead } });
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        for (mutant, _) in self.take("unary", unary.op.span()) {
            let (start, end) = range(unary);
            let operator = unary.op.span().source_text().unwrap_or_default();
            self.sites.push(Site { start, end, what: What::Unary { operator, operand: range(&unary.expr), mutant } });
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let deleted = self.take("arm", arm.span()).first().map(|(number, _)| *number);
        match &arm.guard {
            None => {
                let end = range(&arm.pat).1;
                self.sites.extend(deleted.map(|mutant| Site { start: end, end, what: What::Deleted(mutant) }));
            }
            Some((_, guard)) => {
                let taken = self.take("guard", guard.span());
                let with = |value: &str| {
                    taken.iter().find(|(_, mutant)| mutant.replacement == value).map(|(number, _)| *number)
                };
                let (always, never) = (with("true"), with("false"));
                if always.or(never).or(deleted).is_some() {
                    let (start, end) = range(guard);
                    self.sites.push(Site { start, end, what: What::Guard { always, never, deleted } });
                }
            }
        }
        visit::visit_arm(self, arm);
    }
}

struct Writer<'w> {
    text: &'w str,
    sites: &'w [Site],
    path: &'w str,
}

impl Writer<'_> {
    /// The text from `start` to `end` with all mutants in it.
    fn range(&self, start: usize, end: usize) -> String {
        let first = self.sites.partition_point(|site| site.start < start);
        self.from(first, start, end)
    }

    /// The same, with the sites from number `next` on.
    fn from(&self, mut next: usize, start: usize, end: usize) -> String {
        let mut out = String::new();
        let mut at = start;
        while let Some(site) = self.sites.get(next) {
            // A site of no length at the end is in what follows.
            if site.start >= end {
                break;
            }
            // One in a site that is written already.
            if site.start < at {
                next += 1;
                continue;
            }
            out.push_str(&self.text[at..site.start]);
            out.push_str(&self.site(next));
            at = site.end;
            next += 1;
        }
        out.push_str(&self.text[at..end]);
        out
    }

    /// Without the site itself: an operand that is as long as it, or begins where it begins.
    fn inside(&self, number: usize, (start, end): (usize, usize)) -> String {
        let first = self.sites.partition_point(|site| site.start < start).max(number + 1);
        self.from(first, start, end)
    }

    fn on(&self, number: usize) -> String {
        format!("{}::mutant::on({number})", self.path)
    }

    fn site(&self, at: usize) -> String {
        let site = &self.sites[at];
        let marked = |numbers: &[usize], text: String| {
            let begin: String = numbers.iter().map(|number| format!("{BEGIN}{number}*/")).collect();
            let end: String = numbers.iter().rev().map(|number| format!("{END}{number}*/")).collect();
            format!("{begin}{text}{end}")
        };
        match &site.what {
            What::Value(values) => values
                .iter()
                .map(|(number, value)| {
                    let value = if value == "()" { "return;".to_owned() } else { format!("return {value};") };
                    marked(&[*number], format!("if {} {{ {value} }} ", self.on(*number)))
                })
                .collect(),
            What::Binary { left, right, operator, instead } => {
                let (left, right) = (self.inside(at, *left), self.inside(at, *right));
                let branches: String = instead
                    .iter()
                    .map(|(number, other)| {
                        let text = format!("if {} {{ {left} {other} {right} }} else ", self.on(*number));
                        marked(&[*number], text)
                    })
                    .collect();
                format!("({branches}{{ {left} {operator} {right} }})")
            }
            What::Unary { operator, operand, mutant } => {
                let operand = self.inside(at, *operand);
                let text = marked(&[*mutant], format!("if {} {{ {operand} }} else ", self.on(*mutant)));
                format!("({text}{{ {operator}{operand} }})")
            }
            What::Guard { always, never, deleted } => {
                let mut text = format!("({})", self.inside(at, (site.start, site.end)));
                if let Some(never) = never {
                    text = format!("(!{} && {text})", self.on(*never));
                }
                if let Some(always) = always {
                    text = format!("({} || {text})", self.on(*always));
                }
                if let Some(deleted) = deleted {
                    text = format!("(!{} && {text})", self.on(*deleted));
                }
                let numbers: Vec<usize> = [always, never, deleted].into_iter().flatten().copied().collect();
                marked(&numbers, text)
            }
            What::Deleted(mutant) => marked(&[*mutant], format!(" if !{}", self.on(*mutant))),
        }
    }
}

/// Where the lines of a text begin.
pub struct Offsets(Vec<usize>);

impl Offsets {
    pub fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// The byte at a position, whose column counts characters.
    pub fn byte(&self, text: &str, position: Position) -> usize {
        let line = self.0[position.line - 1];
        text[line..].char_indices().nth(position.column - 1).map_or(text.len(), |(at, _)| line + at)
    }
}
