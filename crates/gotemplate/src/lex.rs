//! Splits a template into tokens (`text/template/parse/lex.go`).

use super::error::{Result, failed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// `{{` and `}}`.
    Left,
    Right,
    Space,
    /// `=` and `:=`.
    Assign,
    Declare,
    Pipe,
    Open,
    Close,
    Comma,
    Dot,
    Field,
    Variable,
    Identifier,
    Keyword,
    Nil,
    Bool,
    Quoted,
    Character,
    Number,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
}

const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];
const KEYWORDS: [&str; 10] = ["block", "break", "continue", "define", "else", "end", "if", "range", "template", "with"];

/// The tokens of `text`; the last one is [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>> {
    let mut lexer = Lexer { rest: text, tokens: Vec::new() };
    while let Some((before, action)) = lexer.rest.split_once("{{") {
        let trims = action.starts_with('-') && action[1..].starts_with(SPACES);
        let before = if trims { before.trim_end_matches(SPACES) } else { before };
        if !before.is_empty() {
            lexer.tokens.push(Token { kind: Kind::Text, text: before });
        }
        lexer.rest = if trims { &action[2..] } else { action };
        if lexer.rest.starts_with("/*") {
            lexer.comment()?;
        } else {
            lexer.tokens.push(Token { kind: Kind::Left, text: "{{" });
            lexer.action()?;
        }
    }
    if !lexer.rest.is_empty() {
        lexer.tokens.push(Token { kind: Kind::Text, text: lexer.rest });
    }
    lexer.tokens.push(Token { kind: Kind::End, text: "EOF" });
    Ok(lexer.tokens)
}

struct Lexer<'t> {
    rest: &'t str,
    tokens: Vec<Token<'t>>,
}

impl<'t> Lexer<'t> {
    fn comment(&mut self) -> Result<()> {
        let Some((_, after)) = self.rest.split_once("*/") else { return failed("unclosed comment") };
        self.rest = after;
        if self.right() { Ok(()) } else { failed("comment ends before closing delimiter") }
    }

    /// Skips `}}`, or ` -}}` with the white space after it.
    fn right(&mut self) -> bool {
        if let Some(after) = self.rest.strip_prefix(SPACES).and_then(|rest| rest.strip_prefix("-}}")) {
            self.rest = after.trim_start_matches(SPACES);
            return true;
        }
        self.rest.strip_prefix("}}").inspect(|after| self.rest = after).is_some()
    }

    fn action(&mut self) -> Result<()> {
        let mut open = 0_usize;
        loop {
            if self.right() {
                if open > 0 {
                    return failed("unclosed left paren");
                }
                self.tokens.push(Token { kind: Kind::Right, text: "}}" });
                return Ok(());
            }
            let Some(first) = self.rest.chars().next() else { return failed("unclosed action") };
            match first {
                ' ' | '\t' | '\r' | '\n' => self.space(),
                '=' => self.take(Kind::Assign, 1),
                ':' if self.rest.starts_with(":=") => self.take(Kind::Declare, 2),
                '|' => self.take(Kind::Pipe, 1),
                ',' => self.take(Kind::Comma, 1),
                '(' => {
                    open += 1;
                    self.take(Kind::Open, 1);
                }
                ')' => {
                    let Some(fewer) = open.checked_sub(1) else { return failed("unexpected right paren") };
                    open = fewer;
                    self.take(Kind::Close, 1);
                }
                '"' | '\'' => self.quoted(first)?,
                '`' => {
                    let Some(end) = self.rest[1..].find('`') else { return failed("unterminated raw quoted string") };
                    self.take(Kind::Quoted, end + 2);
                }
                '$' => self.name(Kind::Variable)?,
                '.' if !self.rest[1..].starts_with(|next: char| next.is_ascii_digit()) => self.name(Kind::Field)?,
                '.' | '+' | '-' | '0'..='9' => self.number()?,
                _ if is_word(first) => self.name(Kind::Identifier)?,
                _ => return failed(format!("unexpected {first:?} in an action")),
            }
        }
    }

    fn take(&mut self, kind: Kind, length: usize) {
        let (text, rest) = self.rest.split_at(length);
        self.tokens.push(Token { kind, text });
        self.rest = rest;
    }

    /// Takes white space as a token. Its last character is not part of it when ` -}}` follows.
    fn space(&mut self) {
        let length = self.rest.len() - self.rest.trim_start_matches(SPACES).len();
        let length = if self.rest[length..].starts_with("-}}") { length - 1 } else { length };
        if length > 0 {
            self.take(Kind::Space, length);
        }
    }

    fn quoted(&mut self, quote: char) -> Result<()> {
        let mut is_escaped = false;
        for (at, found) in self.rest.char_indices().skip(1) {
            match found {
                '\n' => break,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                _ if found == quote => {
                    self.take(if quote == '"' { Kind::Quoted } else { Kind::Character }, at + 1);
                    return Ok(());
                }
                _ => {}
            }
        }
        failed("unterminated quoted string")
    }

    /// `$name`, `.name` or `name`.
    fn name(&mut self, kind: Kind) -> Result<()> {
        let marks = usize::from(kind != Kind::Identifier);
        let length = self.rest[marks..].find(|next| !is_word(next)).map_or(self.rest.len(), |at| at + marks);
        let after = &self.rest[length..];
        if !(after.is_empty()
            || after.starts_with(SPACES)
            || after.starts_with(['.', ',', '|', ':', ')', '('])
            || after.starts_with("}}"))
        {
            return failed(format!("bad character after {}", &self.rest[..length]));
        }
        let kind = match (kind, &self.rest[..length]) {
            (_, ".") => Kind::Dot,
            (Kind::Identifier, "true" | "false") => Kind::Bool,
            (Kind::Identifier, "nil") => Kind::Nil,
            (Kind::Identifier, word) if KEYWORDS.contains(&word) => Kind::Keyword,
            _ => kind,
        };
        self.take(kind, length);
        Ok(())
    }

    fn number(&mut self) -> Result<()> {
        let bytes = self.rest.as_bytes();
        let mut at = usize::from(matches!(bytes[0], b'+' | b'-'));
        let is_hexadecimal = matches!(bytes.get(at..at + 2), Some(b"0x" | b"0X"));
        while let Some(found) = bytes.get(at) {
            // A sign is part of the number only after the letter of an exponent.
            let exponent = if is_hexadecimal { b'p' } else { b'e' };
            match found {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'_' => at += 1,
                b'+' | b'-' if at > 0 && bytes[at - 1].to_ascii_lowercase() == exponent => at += 1,
                _ => break,
            }
        }
        if self.rest[at..].starts_with(is_word) {
            return failed("bad number syntax");
        }
        self.take(Kind::Number, at);
        Ok(())
    }
}

fn is_word(found: char) -> bool {
    found == '_' || found.is_alphanumeric()
}
