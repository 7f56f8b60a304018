//! Executes a template (`text/template/exec.go`).

use std::rc::Rc;

use super::error::{DEPTH, Error, OUTPUT, Result, Work, failed, too_large, unknown};
use super::format::print;
use super::functions::{self, Call, Parameter};
use super::nodes::{Branch, Node, Operand, Pipe, ROOT, Templates};
use super::parse::parse;
use super::value::{Of, Value};

/// The value of a missing key of a map (`missingkey=`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Invalid,
    Zero,
    Error,
}

/// How the execution continues after a node.
#[derive(PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

pub(super) struct Execution<'e> {
    pub(super) templates: &'e Templates,
    pub(super) missing: Missing,
    pub(super) work: &'e Work,
    out: String,
    variables: Vec<(String, Value)>,
    depth: usize,
    /// The depth of nested calls of `tpl`.
    calls_of_tpl: usize,
}

impl<'e> Execution<'e> {
    pub(super) fn new(templates: &'e Templates, missing: Missing, work: &'e Work) -> Self {
        Self { templates, missing, work, out: String::new(), variables: Vec::new(), depth: 0, calls_of_tpl: 0 }
    }

    /// The output of the templates for `data`.
    pub(super) fn run(mut self, data: Value) -> Result<String> {
        self.template(ROOT, data)?;
        Ok(self.out)
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.work.spend(text.len())?;
        if self.out.len() + text.len() > OUTPUT {
            return too_large(format!("a template prints more than {} MiB", OUTPUT >> 20));
        }
        self.out.push_str(text);
        Ok(())
    }

    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.work.step()?;
        if self.depth >= DEPTH {
            return too_large("a template is nested too deep");
        }
        self.depth += 1;
        let found = run(self);
        self.depth -= 1;
        found
    }

    fn template(&mut self, name: &str, dot: Value) -> Result<()> {
        self.work.spend(name.len())?;
        let Some(nodes) = self.templates.get(name) else { return failed(format!("template \"{name}\" not defined")) };
        let outer = std::mem::replace(&mut self.variables, vec![("$".to_owned(), dot.clone())]);
        self.walk(nodes, &dot)?;
        self.variables = outer;
        Ok(())
    }

    fn walk(&mut self, nodes: &[Node], dot: &Value) -> Result<Flow> {
        self.deeper(|run| {
            for node in nodes {
                match run.node(node, dot)? {
                    Flow::Next => {}
                    flow => return Ok(flow),
                }
            }
            Ok(Flow::Next)
        })
    }

    fn node(&mut self, node: &Node, dot: &Value) -> Result<Flow> {
        match node {
            Node::Text(text) => self.write(text)?,
            Node::Action(pipe) => {
                let value = self.pipe(pipe, dot)?;
                match value {
                    _ if !pipe.variables.is_empty() => {}
                    Value::Absent | Value::Nil => self.write("<no value>")?,
                    value => {
                        value.measure(self.work, 0)?;
                        self.write(&print(&value))?;
                    }
                }
            }
            Node::If(branch) | Node::With(branch) => {
                let mark = self.variables.len();
                let value = self.pipe(&branch.pipe, dot)?;
                let flow = match (&branch.otherwise, value.is_empty()) {
                    (_, false) => self.walk(&branch.then, if matches!(node, Node::With(_)) { &value } else { dot })?,
                    (Some(nodes), true) => self.walk(nodes, dot)?,
                    (None, true) => Flow::Next,
                };
                self.variables.truncate(mark);
                return Ok(flow);
            }
            Node::Range(branch) => return self.range(branch, dot),
            Node::Template(name, pipe) => {
                if !self.templates.contains_key(name) {
                    return failed(format!("template \"{name}\" not defined"));
                }
                let data = match pipe {
                    Some(pipe) => self.pipe(pipe, dot)?,
                    None => Value::Absent,
                };
                self.template(name, data)?;
            }
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    fn range(&mut self, branch: &Branch, dot: &Value) -> Result<Flow> {
        let mark = self.variables.len();
        let value = self.pipe(&branch.pipe, dot)?;
        let body = self.variables.len();
        let mut count = 0;
        let mut next: Box<dyn FnMut() -> Option<(Value, Value)>> = match &value {
            Value::Int(_) | Value::Int64(_) | Value::Uint64(_) | Value::Uint8(_) => {
                if branch.pipe.variables.len() > 1 {
                    return failed(format!("can't use {} to iterate over more than one variable", print(&value)));
                }
                let end = functions::integer(&value);
                let of = value.clone();
                Box::new(move || {
                    count += 1;
                    (count <= end).then(|| (Value::Absent, functions::alike(&of, count - 1)))
                })
            }
            Value::List(list) => {
                let (list, end) = (list.clone(), list.items().len());
                let mut at = 0;
                Box::new(move || {
                    at += 1;
                    let item = list.items().get(at - 1).filter(|_| at <= end).cloned();
                    item.map(|item| (Value::Int(at as i64 - 1), item))
                })
            }
            Value::Map(map) => {
                // Sort and copy the entries once, as Go does: the loop does not see changes that its body makes.
                let entries: Vec<_> =
                    map.entries().iter().map(|(key, value)| (Value::Text(key.clone()), value.clone())).collect();
                self.work.spend(entries.len() * 64)?;
                let mut entries = entries.into_iter();
                Box::new(move || entries.next())
            }
            Value::Absent | Value::Nil => Box::new(|| None),
            other => return failed(format!("range can't iterate over {}", print(other))),
        };
        let mut ran = false;
        while let Some((index, item)) = next() {
            ran = true;
            self.work.step()?;
            self.set_range_variables(&branch.pipe, body, index, &item)?;
            let flow = self.walk(&branch.then, &item)?;
            self.variables.truncate(body);
            if flow == Flow::Break {
                break;
            }
        }
        let flow = match &branch.otherwise {
            Some(nodes) if !ran => self.walk(nodes, dot)?,
            _ => Flow::Next,
        };
        self.variables.truncate(mark);
        Ok(flow)
    }

    /// Sets the variables of a `range`. A single variable gets the item, not the index.
    fn set_range_variables(&mut self, pipe: &Pipe, body: usize, index: Value, item: &Value) -> Result<()> {
        let values = if pipe.variables.len() > 1 { vec![index, item.clone()] } else { vec![item.clone()] };
        for (at, (name, value)) in pipe.variables.iter().zip(values).enumerate() {
            if pipe.assigns {
                self.assign(name, value)?;
            } else {
                self.variables[body - pipe.variables.len() + at].1 = value;
            }
        }
        Ok(())
    }

    fn assign(&mut self, name: &str, value: Value) -> Result<()> {
        match self.place_of(name)? {
            Some(at) => self.variables[at].1 = value,
            None => return failed(format!("undefined variable: {name}")),
        }
        Ok(())
    }

    fn pipe(&mut self, pipe: &Pipe, dot: &Value) -> Result<Value> {
        let value = self.deeper(|run| {
            let mut value = None;
            for command in &pipe.commands {
                let found = run.command(command, dot, value)?;
                // In Go, a nil interface becomes "no value" for the next command.
                value = Some(if matches!(found, Value::Nil) { Value::Absent } else { found });
            }
            Ok(value.unwrap_or(Value::Absent))
        })?;
        for name in &pipe.variables {
            if pipe.assigns {
                self.assign(name, value.clone())?;
            } else {
                self.work.spend(name.len())?;
                self.variables.push((name.clone(), value.clone()));
            }
        }
        Ok(value)
    }

    fn command(&mut self, command: &[Operand], dot: &Value, last: Option<Value>) -> Result<Value> {
        let has_arguments = command.len() > 1 || last.is_some();
        match &command[0] {
            Operand::Function(name) => self.call(name, &command[1..], dot, last),
            Operand::Field(fields) => self.fields(dot.clone(), fields, has_arguments),
            Operand::Chain(of, fields) => {
                let value = self.operand(of, dot)?;
                self.fields(value, fields, has_arguments)
            }
            Operand::Variable(name, fields) if !fields.is_empty() => {
                self.fields(self.variable(name)?, fields, has_arguments)
            }
            Operand::Nil => failed("nil is not a command"),
            _ if has_arguments => failed("can't give argument to non-function"),
            operand => self.operand(operand, dot),
        }
    }

    fn variable(&self, name: &str) -> Result<Value> {
        Ok(self.place_of(name)?.map_or(Value::Absent, |at| self.variables[at].1.clone()))
    }

    /// The number of the last variable with this name. Each that is looked at on the way costs.
    fn place_of(&self, name: &str) -> Result<Option<usize>> {
        let place = self.variables.iter().rposition(|(known, _)| known == name);
        self.work.spend(self.variables.len() - place.unwrap_or(0) + name.len())?;
        Ok(place)
    }

    /// The value of an operand for a parameter of any type.
    fn operand(&mut self, operand: &Operand, dot: &Value) -> Result<Value> {
        Ok(match operand {
            Operand::Dot => dot.clone(),
            Operand::Nil => Value::Nil,
            Operand::Bool(found) => Value::Bool(*found),
            Operand::Text(text) => Value::Text(text.clone()),
            Operand::Number(number) => match (number.int, number.float) {
                (Some(int), _) if !number.is_float => Value::Int(int),
                (_, float) => Value::Float(float.unwrap_or_default()),
            },
            Operand::Field(fields) => self.fields(dot.clone(), fields, false)?,
            Operand::Variable(name, fields) => self.fields(self.variable(name)?, fields, false)?,
            Operand::Function(name) => self.call(name, &[], dot, None)?,
            Operand::Pipe(pipe) => self.pipe(pipe, dot)?,
            Operand::Chain(of, fields) => {
                let value = self.operand(of, dot)?;
                self.fields(value, fields, false)?
            }
        })
    }

    fn fields(&self, value: Value, fields: &[String], has_arguments: bool) -> Result<Value> {
        let mut value = value;
        for (at, name) in fields.iter().enumerate() {
            self.work.spend(16 + name.len())?;
            value = self.field(&value, name, has_arguments && at + 1 == fields.len())?;
        }
        Ok(value)
    }

    fn field(&self, value: &Value, name: &str, has_arguments: bool) -> Result<Value> {
        match value {
            Value::Absent if self.missing == Missing::Error => failed(format!("nil data; no entry for key \"{name}\"")),
            Value::Absent => Ok(Value::Absent),
            Value::Nil => failed(format!("nil pointer evaluating interface {{}}.{name}")),
            Value::Map(_) if has_arguments => failed(format!("{name} is not a method but has arguments")),
            Value::Map(map) => match (map.get(name), self.missing) {
                (Some(found), _) => Ok(found),
                (None, Missing::Invalid) => Ok(Value::Absent),
                (None, Missing::Zero) => Ok(if map.of == Of::Text { Value::text("") } else { Value::Nil }),
                (None, Missing::Error) => failed(format!("map has no entry for key \"{name}\"")),
            },
            Value::Version(version) => match functions::method(version, name) {
                Some(found) if !has_arguments => Ok(found),
                // This may be a method with arguments, which is not implemented.
                _ if name.starts_with(|first: char| first.is_ascii_uppercase()) => unknown(name),
                _ => failed(format!("can't evaluate field {name} in type *semver.Version")),
            },
            other => failed(format!("can't evaluate field {name} in type {}", other.type_name())),
        }
    }

    fn call(&mut self, name: &str, operands: &[Operand], dot: &Value, last: Option<Value>) -> Result<Value> {
        let Some(function) = functions::find(name) else { return failed(format!("function \"{name}\" not defined")) };
        function.check_count(operands.len() + usize::from(last.is_some()))?;
        if matches!(name, "and" | "or") {
            let mut value = Value::Absent;
            for operand in operands {
                value = self.argument(operand, Parameter::Any, dot)?;
                if value.is_empty() == (name == "and") {
                    return Ok(value);
                }
            }
            return Ok(last.unwrap_or(value));
        }
        let mut arguments = Vec::with_capacity(operands.len() + 1);
        for (at, operand) in operands.iter().enumerate() {
            arguments.push(self.argument(operand, function.parameter(at), dot)?);
        }
        if let Some(last) = last {
            arguments.push(function.parameter(operands.len()).take(last)?);
        }
        self.work.step()?;
        let mut walked = arguments.iter().enumerate().filter(|(at, _)| function.walks(*at));
        walked.try_for_each(|(_, argument)| argument.measure(self.work, 0))?;
        let value = if name == "tpl" {
            self.tpl(&arguments)
        } else {
            function.call(&Call { name, arguments: &arguments, work: self.work })
        };
        let value = value.map_err(|error| match error {
            Error::Failed(message) => Error::Failed(format!("error calling {name}: {message}")),
            Error::Function(what) if what.is_empty() => Error::Function(name.to_owned()),
            Error::Function(what) if name != "tpl" => Error::Function(format!("{name} of {what}")),
            Error::Function(_) | Error::TooLarge(_) => error,
        })?;
        value.measure(self.work, 0)?;
        Ok(value)
    }

    fn argument(&mut self, operand: &Operand, parameter: Parameter, dot: &Value) -> Result<Value> {
        match (operand, parameter) {
            (Operand::Nil, Parameter::Map) => Ok(Value::nil_map()),
            (Operand::Nil, Parameter::Any) => Ok(Value::Nil),
            (Operand::Nil, _) => failed(format!("cannot assign nil to {}", parameter.name())),
            (Operand::Number(number), Parameter::Int) if number.int.is_some() => {
                Ok(Value::Int(number.int.unwrap_or_default()))
            }
            (Operand::Number(number), Parameter::Float) => Ok(Value::Float(number.float.unwrap_or_default())),
            _ => parameter.take(self.operand(operand, dot)?),
        }
    }

    /// Argo CD 3.6: renders a text as a template, which can call the templates of this one.
    fn tpl(&mut self, arguments: &[Value]) -> Result<Value> {
        let [Value::Text(text), data] = arguments else { return failed("tpl takes a text and a value") };
        if self.calls_of_tpl >= 3 {
            return failed("maximum recursion depth 3 exceeded in tpl function");
        }
        let names: usize = self.templates.keys().map(|name| name.len() + 64).sum();
        self.work.spend(names + text.len() * 64)?;
        let mut templates = self.templates.clone();
        parse(text, &mut templates, functions::exists)?;
        let mut inner = Execution::new(&templates, self.missing, self.work);
        (inner.depth, inner.calls_of_tpl) = (self.depth + 1, self.calls_of_tpl + 1);
        let data = if matches!(data, Value::Nil) { Value::Absent } else { data.clone() };
        let text: Rc<str> = inner.run(data)?.replace("<no value>", "").into();
        Ok(Value::Text(text))
    }
}
