//! Parses a template (`text/template/parse`). Unknown functions and variables are errors, even where the execution
//! never reaches them.

use std::rc::Rc;

use super::error::{DEPTH, Result, failed, too_large};
use super::lex::{Kind, Token, tokens};
use super::literal;
use super::nodes::{Branch, Node, Operand, Pipe, ROOT, Templates};

/// Parses `text` and adds its templates to `templates`, as `Template.Parse` does. `is_function` says whether a
/// function exists.
pub(super) fn parse(text: &str, templates: &mut Templates, is_function: fn(&str) -> bool) -> Result<()> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        is_function,
        variables: vec!["$".to_owned()],
        ranges: 0,
        depth: 0,
        found: Templates::new(),
    };
    let mut nodes = Vec::new();
    while parser.peek().kind != Kind::End {
        if parser.is_definition() {
            parser.definition()?;
            continue;
        }
        match parser.item()? {
            Item::Node(node) => nodes.push(node),
            Item::End | Item::Else => return failed("unexpected {{end}} or {{else}}"),
        }
    }
    parser.add(ROOT.to_owned(), nodes)?;
    for (name, nodes) in parser.found {
        if name == ROOT || !is_blank(&nodes) || !templates.contains_key(&name) {
            templates.insert(name, nodes);
        }
    }
    Ok(())
}

fn is_blank(nodes: &[Node]) -> bool {
    nodes.iter().all(|node| matches!(node, Node::Text(text) if text.trim().is_empty()))
}

enum Item {
    Node(Node),
    End,
    Else,
}

struct Parser<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    is_function: fn(&str) -> bool,
    variables: Vec<String>,
    ranges: usize,
    depth: usize,
    found: Templates,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Token<'t> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn skip_space(&mut self) {
        while self.peek().kind == Kind::Space {
            self.at += 1;
        }
    }

    fn next_word(&mut self) -> Token<'t> {
        self.skip_space();
        self.next()
    }

    fn expect(&mut self, kind: Kind, place: &str) -> Result<Token<'t>> {
        let token = self.next_word();
        if token.kind == kind { Ok(token) } else { unexpected(token, place) }
    }

    fn keyword(&mut self) -> Option<&'t str> {
        self.skip_space();
        let token = self.peek();
        (token.kind == Kind::Keyword).then_some(token.text)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEPTH {
            return too_large("a template is nested too deep");
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    fn is_definition(&self) -> bool {
        let mut after = self.tokens[self.at..].iter();
        after.next().is_some_and(|token| token.kind == Kind::Left)
            && after
                .find(|token| token.kind != Kind::Space)
                .is_some_and(|token| token.text == "define" && token.kind == Kind::Keyword)
    }

    fn definition(&mut self) -> Result<()> {
        self.next();
        self.next_word();
        let name = literal::text(self.expect(Kind::Quoted, "define clause")?.text)?;
        self.expect(Kind::Right, "define clause")?;
        self.own_template(name)
    }

    /// Parses the body of a template up to its `end`. The body does not see the variables around it.
    fn own_template(&mut self, name: String) -> Result<()> {
        let variables = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
        let ranges = std::mem::take(&mut self.ranges);
        let (nodes, is_else) = self.items()?;
        if is_else {
            return failed("unexpected {{else}} in a definition");
        }
        (self.variables, self.ranges) = (variables, ranges);
        self.add(name, nodes)
    }

    fn add(&mut self, name: String, nodes: Vec<Node>) -> Result<()> {
        match self.found.get(&name) {
            Some(old) if !is_blank(old) && !is_blank(&nodes) => {
                failed(format!("multiple definition of template \"{name}\""))
            }
            Some(old) if !is_blank(old) => Ok(()),
            _ => {
                self.found.insert(name, Rc::new(nodes));
                Ok(())
            }
        }
    }

    /// Parses nodes up to an `end` or `else`; also returns whether it was an `else`.
    fn items(&mut self) -> Result<(Vec<Node>, bool)> {
        self.deeper(|parser| {
            let mut nodes = Vec::new();
            loop {
                match parser.item()? {
                    Item::Node(node) => nodes.push(node),
                    Item::End => return Ok((nodes, false)),
                    Item::Else => return Ok((nodes, true)),
                }
            }
        })
    }

    fn item(&mut self) -> Result<Item> {
        let token = self.next_word();
        match token.kind {
            Kind::Text => Ok(Item::Node(Node::Text(token.text.to_owned()))),
            Kind::Left => self.action(),
            _ => unexpected(token, "input"),
        }
    }

    fn action(&mut self) -> Result<Item> {
        let Some(word) = self.keyword() else {
            return Ok(Item::Node(Node::Action(self.pipe("command", Kind::Right)?)));
        };
        self.next();
        Ok(Item::Node(match word {
            "if" => Node::If(self.branch("if")?),
            "with" => Node::With(self.branch("with")?),
            "range" => Node::Range(self.branch("range")?),
            "break" | "continue" => {
                self.expect(Kind::Right, word)?;
                if self.ranges == 0 {
                    return failed(format!("{{{{{word}}}}} outside {{{{range}}}}"));
                }
                if word == "break" { Node::Break } else { Node::Continue }
            }
            "end" => {
                self.expect(Kind::Right, "end")?;
                return Ok(Item::End);
            }
            "else" => {
                if !matches!(self.keyword(), Some("if" | "with")) {
                    self.expect(Kind::Right, "else")?;
                }
                return Ok(Item::Else);
            }
            "template" => {
                let name = literal::text(self.expect(Kind::Quoted, "template clause")?.text)?;
                self.skip_space();
                let pipe = if self.peek().kind == Kind::Right {
                    self.next();
                    None
                } else {
                    Some(self.pipe("template clause", Kind::Right)?)
                };
                Node::Template(name, pipe)
            }
            "block" => {
                let name = literal::text(self.expect(Kind::Quoted, "block clause")?.text)?;
                let pipe = self.pipe("block clause", Kind::Right)?;
                self.own_template(name.clone())?;
                Node::Template(name, Some(pipe))
            }
            _ => return failed(format!("unexpected <{word}> in command")),
        }))
    }

    fn branch(&mut self, word: &'static str) -> Result<Branch> {
        let known = self.variables.len();
        let pipe = self.pipe(word, Kind::Right)?;
        let in_range = usize::from(word == "range");
        self.ranges += in_range;
        let (then, is_else) = self.items()?;
        self.ranges -= in_range;
        let otherwise = match self.keyword() {
            _ if !is_else => None,
            Some("if") if word == "if" => {
                self.next();
                Some(vec![Node::If(self.deeper(|parser| parser.branch("if"))?)])
            }
            Some("with") if word == "with" => {
                self.next();
                Some(vec![Node::With(self.deeper(|parser| parser.branch("with"))?)])
            }
            _ => match self.items()? {
                (nodes, false) => Some(nodes),
                (_, true) => return failed("expected end; found {{else}}"),
            },
        };
        self.variables.truncate(known);
        Ok(Branch { pipe, then, otherwise })
    }

    fn pipe(&mut self, place: &str, end: Kind) -> Result<Pipe> {
        let (variables, assigns) = self.declarations(place)?;
        let mut commands = Vec::new();
        loop {
            self.skip_space();
            let token = self.peek();
            if token.kind == end {
                self.next();
                break;
            }
            if !starts_operand(token.kind) {
                return unexpected(token, place);
            }
            commands.push(self.command()?);
        }
        if commands.is_empty() {
            return failed(format!("missing value for {place}"));
        }
        let is_value = |command: &Vec<Operand>| {
            matches!(command[0], Operand::Bool(_) | Operand::Dot | Operand::Nil | Operand::Number(_) | Operand::Text(_))
        };
        if commands.iter().skip(1).any(is_value) {
            return failed("non executable command in a pipeline");
        }
        Ok(Pipe { variables, assigns, commands })
    }

    fn declarations(&mut self, place: &str) -> Result<(Vec<String>, bool)> {
        let mut variables = Vec::new();
        loop {
            self.skip_space();
            let start = self.at;
            let variable = self.next();
            if variable.kind != Kind::Variable {
                self.at = start;
                return Ok((variables, false));
            }
            self.skip_space();
            match self.peek().kind {
                kind @ (Kind::Assign | Kind::Declare) => {
                    self.next();
                    self.declare(&mut variables, variable.text);
                    return Ok((variables, kind == Kind::Assign));
                }
                Kind::Comma => {
                    self.next();
                    self.declare(&mut variables, variable.text);
                    if place != "range" || variables.len() > 1 {
                        return failed(format!("too many declarations in {place}"));
                    }
                    self.skip_space();
                    if !matches!(self.peek().kind, Kind::Variable | Kind::Right | Kind::Close) {
                        return failed("range can only initialize variables");
                    }
                }
                _ => {
                    self.at = start;
                    return Ok((variables, false));
                }
            }
        }
    }

    fn declare(&mut self, variables: &mut Vec<String>, name: &str) {
        variables.push(name.to_owned());
        self.variables.push(name.to_owned());
    }

    fn command(&mut self) -> Result<Vec<Operand>> {
        let mut operands = Vec::new();
        loop {
            self.skip_space();
            if starts_operand(self.peek().kind) {
                operands.push(self.operand()?);
            }
            let token = self.next();
            match token.kind {
                Kind::Space => {}
                Kind::Right | Kind::Close => {
                    self.at -= 1;
                    break;
                }
                Kind::Pipe => break,
                _ => return unexpected(token, "operand"),
            }
        }
        if operands.is_empty() { failed("empty command") } else { Ok(operands) }
    }

    fn operand(&mut self) -> Result<Operand> {
        let term = self.term()?;
        let mut fields = Vec::new();
        while self.peek().kind == Kind::Field {
            fields.push(self.next().text[1..].to_owned());
        }
        if fields.is_empty() {
            return Ok(term);
        }
        match term {
            Operand::Field(mut first) => {
                first.extend(fields);
                Ok(Operand::Field(first))
            }
            Operand::Variable(name, _) => Ok(Operand::Variable(name, fields)),
            Operand::Function(_) | Operand::Pipe(_) => Ok(Operand::Chain(Box::new(term), fields)),
            _ => failed("unexpected . after a term"),
        }
    }

    fn term(&mut self) -> Result<Operand> {
        let token = self.next();
        Ok(match token.kind {
            Kind::Dot => Operand::Dot,
            Kind::Nil => Operand::Nil,
            Kind::Bool => Operand::Bool(token.text == "true"),
            Kind::Number => Operand::Number(literal::number(token.text)?),
            Kind::Character => Operand::Number(literal::character(token.text)?),
            Kind::Quoted => Operand::Text(literal::text(token.text)?.into()),
            Kind::Field => Operand::Field(vec![token.text[1..].to_owned()]),
            Kind::Variable if self.variables.iter().any(|known| known == token.text) => {
                Operand::Variable(token.text.to_owned(), Vec::new())
            }
            Kind::Variable => return failed(format!("undefined variable \"{}\"", token.text)),
            Kind::Identifier if (self.is_function)(token.text) => Operand::Function(token.text.to_owned()),
            Kind::Identifier => return failed(format!("function \"{}\" not defined", token.text)),
            Kind::Open => Operand::Pipe(self.deeper(|parser| parser.pipe("parenthesized pipeline", Kind::Close))?),
            _ => return unexpected(token, "operand"),
        })
    }
}

fn starts_operand(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, Bool | Character | Dot | Field | Identifier | Number | Nil | Quoted | Variable | Open)
}

fn unexpected<T>(token: Token<'_>, place: &str) -> Result<T> {
    failed(format!("unexpected {:?} in {place}", token.text))
}
