//! The syntax tree of a template (`text/template/parse/node.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::literal::Number;

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

/// The templates that a text defines, by name.
pub(super) type Templates = BTreeMap<String, Nodes>;

#[derive(Debug)]
pub(super) struct Branch {
    pub(super) pipe: Pipe,
    pub(super) then: Vec<Node>,
    pub(super) otherwise: Option<Vec<Node>>,
}

/// Commands; each passes its value to the next command.
#[derive(Debug)]
pub(super) struct Pipe {
    /// The variables that get the value of the last command.
    pub(super) variables: Vec<String>,
    /// Whether the variables exist already (`=` instead of `:=`).
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
    /// Fields of the value of an operand.
    Chain(Box<Operand>, Vec<String>),
}

/// The name under which Argo CD parses the text of a template.
pub(super) const ROOT: &str = "base";
