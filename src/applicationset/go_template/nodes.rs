//! The nodes of a template (`text/template/parse/node.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::literal::Number;

/// A part of a template.
#[derive(Debug)]
pub(super) enum Node {
    Text(String),
    Action(Pipe),
    If(Branch),
    With(Branch),
    Range(Branch),
    Template(String, Option<Pipe>),
    Break,
    Continue,
}

pub(super) type Nodes = Rc<Vec<Node>>;

/// The templates of a text by name.
pub(super) type Templates = BTreeMap<String, Nodes>;

#[derive(Debug)]
pub(super) struct Branch {
    pub(super) pipe: Pipe,
    pub(super) then: Vec<Node>,
    pub(super) otherwise: Option<Vec<Node>>,
}

/// Commands; each passes its value to the next one.
#[derive(Debug)]
pub(super) struct Pipe {
    /// The variables that take the value of the last one.
    pub(super) variables: Vec<String>,
    /// Whether they exist already: `=`, not `:=`.
    pub(super) assigns: bool,
    pub(super) commands: Vec<Vec<Operand>>,
}

#[derive(Debug)]
pub(super) enum Operand {
    Dot,
    Nil,
    Bool(bool),
    Number(Number),
    Text(Rc<str>),
    Field(Vec<String>),
    Variable(String, Vec<String>),
    Function(String),
    Pipe(Pipe),
    /// Fields of what an operand gives.
    Chain(Box<Operand>, Vec<String>),
}

/// The name of the template that Argo CD parses a text as.
pub(super) const ROOT: &str = "base";
