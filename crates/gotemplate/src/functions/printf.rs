//! `fmt.Sprintf`. Rare directives (`%#v`, `%*d`, `%[1]d`, `%U`) are not implemented.

use goyaml::number;

use super::Call;
use crate::error::{Result, Work, unknown};
use crate::format::{print, quote};
use crate::value::Value;

/// The flags, width and precision between `%` and the verb.
#[derive(Clone, Copy, Default)]
struct Form {
    is_left: bool,
    has_sign: bool,
    has_space: bool,
    has_zeros: bool,
    width: usize,
    precision: Option<usize>,
}

pub(super) fn printf(call: &Call<'_>) -> Result<Value> {
    let mut printer = Printer { out: String::new(), work: call.work };
    let mut values = call.rest(1).iter();
    let mut rest = call.text(0);
    while let Some((before, after)) = rest.split_once('%') {
        printer.out.push_str(before);
        let (form, verb, after) = directive(after)?;
        rest = after;
        match verb {
            None => printer.out.push_str("%!(NOVERB)"),
            Some('%') => printer.out.push('%'),
            Some(verb) => match values.next() {
                Some(value) => printer.value(value, verb, form, true)?,
                None => printer.out.push_str(&format!("%!{verb}(MISSING)")),
            },
        }
    }
    printer.out.push_str(rest);
    if values.len() > 0 {
        let extra = |value: &Value| match value {
            Value::Nil => "<nil>".to_owned(),
            value => format!("{}={}", value.type_name(), print(value)),
        };
        let extras: Vec<_> = values.map(extra).collect();
        printer.out.push_str(&format!("%!(EXTRA {})", extras.join(", ")));
    }
    Ok(Value::text(printer.out))
}

fn directive(text: &str) -> Result<(Form, Option<char>, &str)> {
    let mut form = Form::default();
    let mut rest = text;
    loop {
        let flag = match rest.as_bytes().first() {
            Some(b'-') => &mut form.is_left,
            Some(b'+') => &mut form.has_sign,
            Some(b' ') => &mut form.has_space,
            Some(b'0') => &mut form.has_zeros,
            _ => break,
        };
        *flag = true;
        rest = &rest[1..];
    }
    (form.width, rest) = count(rest)?;
    if let Some(after) = rest.strip_prefix('.') {
        let (precision, after) = count(after)?;
        (form.precision, rest) = (Some(precision), after);
    }
    let verb = rest.chars().next();
    if let Some('#' | '*' | '[') = verb {
        return unknown("%#, %* or %[");
    }
    Ok((form, verb, &rest[verb.map_or(0, char::len_utf8)..]))
}

fn count(text: &str) -> Result<(usize, &str)> {
    let end = text.find(|found: char| !found.is_ascii_digit()).unwrap_or(text.len());
    match text[..end].parse() {
        Ok(count) if count > 10_000 => unknown("such a width"),
        found => Ok((found.unwrap_or(0), &text[end..])),
    }
}

struct Printer<'w> {
    out: String,
    work: &'w Work,
}

impl Printer<'_> {
    fn pad(&mut self, text: &str, form: Form) -> Result<()> {
        let missing = form.width.saturating_sub(text.chars().count());
        self.work.spend(missing + text.len())?;
        match (form.is_left, form.has_zeros) {
            (true, _) => self.out.extend([text, &" ".repeat(missing)]),
            (false, zeros) => self.out.extend([&(if zeros { "0" } else { " " }).repeat(missing), text]),
        }
        Ok(())
    }

    fn value(&mut self, value: &Value, verb: char, form: Form, is_argument: bool) -> Result<()> {
        match (value, verb) {
            (Value::Nil | Value::Absent, _) if !is_argument => self.out.push_str("<nil>"),
            (Value::Nil | Value::Absent, 'v' | 'T') => self.pad("<nil>", form)?,
            (Value::Nil | Value::Absent, _) => self.out.push_str(&format!("%!{verb}(<nil>)")),
            (_, 'T') if is_argument => self.pad(value.type_name(), form)?,
            (_, 'p' | 'w') => return unknown(format!("%{verb}")),
            (Value::Bool(found), 't' | 'v') => self.pad(if *found { "true" } else { "false" }, form)?,
            (Value::Int(found) | Value::Int64(found), _) => self.integer(value, i128::from(*found), verb, form)?,
            (Value::Uint64(found), _) => self.integer(value, i128::from(*found), verb, form)?,
            (Value::Uint8(found), _) => self.integer(value, i128::from(*found), verb, form)?,
            (Value::Float(found), 'v' | 'g' | 'G' | 'e' | 'E' | 'f' | 'F') => self.float(*found, verb, form)?,
            (Value::Float(_), 'b' | 'x' | 'X') => return unknown(format!("a float as %{verb}")),
            (Value::Text(text), _) => self.text(value, text, verb, form)?,
            (Value::Version(version), 'v' | 's' | 'q' | 'x' | 'X') => self.text(value, &version.print(), verb, form)?,
            (Value::Version(_), _) => return unknown(format!("a version as %{verb}")),
            (Value::List(list), _) => {
                self.out.push('[');
                for (at, item) in list.items().iter().enumerate() {
                    self.out.push_str(if at > 0 { " " } else { "" });
                    self.value(item, verb, form, false)?;
                }
                self.out.push(']');
            }
            (Value::Map(map), _) => {
                self.out.push_str("map[");
                for (at, (key, item)) in map.entries().iter().enumerate() {
                    self.out.push_str(if at > 0 { " " } else { "" });
                    self.value(&Value::Text(key.clone()), verb, form, false)?;
                    self.out.push(':');
                    self.value(item, verb, form, false)?;
                }
                self.out.push(']');
            }
            (Value::Bool(_) | Value::Float(_), _) => self.bad_verb(value, verb, form)?,
        }
        Ok(())
    }

    fn bad_verb(&mut self, value: &Value, verb: char, form: Form) -> Result<()> {
        self.out.push_str(&format!("%!{verb}({}=", value.type_name()));
        self.value(value, 'v', form, true)?;
        self.out.push(')');
        Ok(())
    }

    fn text(&mut self, value: &Value, text: &str, verb: char, form: Form) -> Result<()> {
        let end = form.precision.and_then(|most| text.char_indices().nth(most)).map_or(text.len(), |(at, _)| at);
        match verb {
            'v' | 's' => self.pad(&text[..end], form),
            'q' if !form.has_sign => self.pad(&quote(&text[..end]), form),
            'x' | 'X' if form.precision.is_none() && !form.has_space => {
                let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
                self.pad(&if verb == 'X' { digits.to_uppercase() } else { digits }, form)
            }
            'q' | 'x' | 'X' => unknown(format!("%{verb} with a precision or sign")),
            _ => self.bad_verb(value, verb, form),
        }
    }

    fn integer(&mut self, value: &Value, found: i128, verb: char, form: Form) -> Result<()> {
        let size = found.unsigned_abs();
        let digits = match verb {
            'v' | 'd' => size.to_string(),
            'b' => format!("{size:b}"),
            'o' => format!("{size:o}"),
            'x' => format!("{size:x}"),
            'X' => format!("{size:X}"),
            'c' => {
                let letter = u32::try_from(found).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
                return self.pad(&letter.to_string(), form);
            }
            'q' | 'U' | 'O' => return unknown(format!("a number as %{verb}")),
            _ => return self.bad_verb(value, verb, form),
        };
        let sign = match found {
            ..0 => "-",
            _ if form.has_sign && verb != 'v' => "+",
            _ if form.has_space => " ",
            _ => "",
        };
        if form.precision == Some(0) && found == 0 {
            return self.pad("", Form { has_zeros: false, ..form });
        }
        let wanted = match form.precision {
            Some(precision) => precision,
            None if form.has_zeros && !form.is_left => form.width.saturating_sub(sign.len()),
            None => 0,
        };
        self.work.spend(wanted)?;
        self.pad(&format!("{sign}{digits:0>wanted$}"), Form { has_zeros: false, ..form })
    }

    fn float(&mut self, found: f64, verb: char, form: Form) -> Result<()> {
        if !found.is_finite() {
            return unknown("an infinite number");
        }
        let precision = form.precision.unwrap_or(6);
        let text = match verb {
            'f' | 'F' => format!("{found:.precision$}"),
            'e' | 'E' => {
                let text = format!("{found:.precision$e}");
                let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                number::with_exponent(mantissa, exponent.parse().unwrap_or(0))
            }
            _ if form.precision.is_some() => return unknown("%g with a precision"),
            _ => number::print_shortest(found),
        };
        let text = if verb.is_uppercase() { text.to_uppercase() } else { text };
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None if form.has_sign && verb != 'v' => ("+", text.as_str()),
            None if form.has_space => (" ", text.as_str()),
            None => ("", text.as_str()),
        };
        let wanted = if form.has_zeros && !form.is_left { form.width.saturating_sub(sign.len()) } else { 0 };
        self.work.spend(wanted)?;
        self.pad(&format!("{sign}{digits:0>wanted$}"), Form { has_zeros: false, ..form })
    }
}
