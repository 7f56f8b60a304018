//! Evaluates the GitHub expressions that `action.yml` may use: names, texts in single quotes, `==`, `!=`, `&&`, `||`,
//! brackets, and `!cancelled()`. Any other expression is an error, so that the action uses nothing that these tests
//! do not evaluate.

use serde_json::Value;

/// The value of an expression between `${{` and `}}` or in `if:`, as text. Names are looked up in `contexts`; a
/// missing one is empty.
pub(super) fn evaluate(expression: &str, contexts: &Value) -> String {
    let mut parser = Parser { rest: expression.trim(), contexts };
    let value = parser.either();
    assert!(parser.rest.is_empty(), "`{expression}` has more than these tests evaluate: `{}`", parser.rest);
    value
}

/// The text with every `${{ … }}` replaced by its value.
pub(super) fn interpolate(text: &str, contexts: &Value) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${{") {
        let (expression, behind) = behind.split_once("}}").unwrap_or_else(|| panic!("`{text}` does not end"));
        out.push_str(before);
        out.push_str(&evaluate(expression, contexts));
        rest = behind;
    }
    out + rest
}

/// Whether a step with a condition of this value runs.
pub(super) fn is_true(value: &str) -> bool {
    !matches!(value, "" | "false" | "0")
}

struct Parser<'e> {
    rest: &'e str,
    contexts: &'e Value,
}

impl Parser<'_> {
    fn skips(&mut self, word: &str) -> bool {
        let found = self.rest.strip_prefix(word);
        if let Some(behind) = found {
            self.rest = behind.trim_start();
        }
        found.is_some()
    }

    fn either(&mut self) -> String {
        let mut value = self.both();
        while self.skips("||") {
            let other = self.both();
            value = if is_true(&value) { value } else { other };
        }
        value
    }

    fn both(&mut self) -> String {
        let mut value = self.comparison();
        while self.skips("&&") {
            let other = self.comparison();
            value = if is_true(&value) { other } else { value };
        }
        value
    }

    /// GitHub compares texts without regard to case.
    fn comparison(&mut self) -> String {
        let value = self.operand();
        let equals = self.skips("==");
        if !equals && !self.skips("!=") {
            return value;
        }
        let other = self.operand();
        (value.eq_ignore_ascii_case(&other) == equals).to_string()
    }

    fn operand(&mut self) -> String {
        // These tests cancel no run.
        if self.skips("!cancelled()") {
            return "true".to_owned();
        }
        if self.skips("(") {
            let value = self.either();
            assert!(self.skips(")"), "a bracket does not close before `{}`", self.rest);
            return value;
        }
        if let Some(behind) = self.rest.strip_prefix('\'') {
            let (text, behind) = behind.split_once('\'').expect("a text ends");
            self.rest = behind.trim_start();
            return text.to_owned();
        }
        let is_part = |char: char| char.is_ascii_alphanumeric() || "._-".contains(char);
        let end = self.rest.find(|char| !is_part(char)).unwrap_or(self.rest.len());
        let (name, behind) = self.rest.split_at(end);
        self.rest = behind.trim_start();
        let context = name.split('.').next().unwrap_or_default();
        assert!(["inputs", "steps", "github"].contains(&context), "these tests do not know `{name}`");
        match self.contexts.pointer(&format!("/{}", name.replace('.', "/"))) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }
    }
}

#[test]
fn expressions_are_those_of_github() {
    let contexts = serde_json::json!({"inputs": {"a-b": "x"}, "steps": {"s": {"outputs": {"n": 1}}}, "github": {}});
    for (expression, value) in [
        ("inputs.a-b", "x"),
        ("steps.s.outputs.n", "1"),
        ("github.event.pull_request.number", ""),
        ("inputs.a-b == 'X'", "true"),
        ("inputs.a-b != 'x' || (steps.s.outputs.n == '1' && github.x == '')", "true"),
        ("inputs.none == 'x' && 'y'", "false"),
    ] {
        assert_eq!(evaluate(expression, &contexts), value, "{expression}");
    }
    assert_eq!(interpolate("a ${{ inputs.a-b }} ${{ inputs.none }}.", &contexts), "a x .");
}

#[test]
#[should_panic(expected = "do not know `secrets.TOKEN`")]
fn another_context_is_refused() {
    evaluate("secrets.TOKEN", &Value::Null);
}

#[test]
#[should_panic(expected = "these tests evaluate: `(")]
fn a_function_is_refused() {
    evaluate("github.contains('a')", &Value::Null);
}
