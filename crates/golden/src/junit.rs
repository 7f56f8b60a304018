//! Prints the report as JUnit XML, which GitLab, Jenkins and actions for GitHub read. No schema covers all of them;
//! this is their common part.
//!
//! A case that is not as expected is a failure (exit status 1), a broken case is an error (exit status 2). The report
//! has no times, so that equal input gives equal bytes.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use text::visible;

use super::report::{Report, Tested};
use super::{Outcome, shown};

/// The name of the test suite when the cases are in the working directory itself, whose path here has no name.
const UNNAMED: &str = "argocd-jobs test";

/// Why a test case did not pass.
struct Trouble {
    element: &'static str,
    kind: &'static str,
    /// A summary on one line.
    message: String,
    text: String,
}

/// Prints the report with all cases. It can fail only if writing to memory fails.
pub fn print(report: &Report) -> io::Result<String> {
    let suite = match shown(&checkout::clean(&report.dir)) {
        dir if dir.is_empty() => UNNAMED.to_owned(),
        dir => dir,
    };
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let troubles: Vec<Option<Trouble>> = report.cases.iter().map(|tested| trouble(tested, report)).collect();
    let count = |element| troubles.iter().flatten().filter(|trouble| trouble.element == element).count().to_string();
    let counts = [("tests", troubles.len().to_string()), ("failures", count("failure")), ("errors", count("error"))];
    let counts = || counts.iter().map(|(name, count)| (*name, count.as_str()));
    writer.create_element("testsuites").with_attributes(counts()).write_inner_content(|writer| {
        let element = writer.create_element("testsuite").with_attribute(("name", suite.as_str()));
        element.with_attributes(counts()).write_inner_content(|writer| {
            let mut cases = report.cases.iter().zip(&troubles);
            cases.try_for_each(|(tested, trouble)| test_case(writer, &suite, tested, trouble.as_ref()))
        })?;
        Ok(())
    })?;
    let mut text = String::from_utf8(writer.into_inner()).map_err(io::Error::other)?;
    text.push('\n');
    Ok(text)
}

fn test_case(writer: &mut Writer<Vec<u8>>, suite: &str, tested: &Tested, trouble: Option<&Trouble>) -> io::Result<()> {
    let name = held(&visible(&tested.name));
    let element = writer.create_element("testcase").with_attributes([("classname", suite), ("name", &name)]);
    let Some(Trouble { element: kind_of, kind, message, text }) = trouble else {
        element.write_empty()?;
        return Ok(());
    };
    element.write_inner_content(|writer| {
        let element = writer.create_element(*kind_of).with_attributes([("type", *kind), ("message", message.as_str())]);
        match text.as_str() {
            "" => element.write_empty(),
            text => element.write_text_content(BytesText::new(text)),
        }?;
        Ok(())
    })?;
    Ok(())
}

fn trouble(tested: &Tested, report: &Report) -> Option<Trouble> {
    let (element, kind, message, text) = match &tested.outcome {
        Outcome::AsExpected | Outcome::Updated(_) => return None,
        Outcome::Differs(differences) => {
            ("failure", "differs", "differs from what is expected (- expected, + got)".to_owned(), differences.clone())
        }
        Outcome::New => ("failure", "new", report.new_case().to_owned(), String::new()),
        Outcome::Endless => ("failure", "killed", report.endless(), String::new()),
        Outcome::Broken(error) => {
            let text = error.to_string();
            ("error", "broken", text.lines().next().unwrap_or_default().to_owned(), text)
        }
    };
    Some(Trouble { element, kind, message: held(&message), text: held(&text) })
}

/// The text with every character that XML 1.0 cannot hold written as an escape. See
/// <https://www.w3.org/TR/xml/#charsets>.
fn held(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for found in text.chars() {
        match found {
            '\t' | '\n' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'.. => out.push(found),
            _ => out.extend(found.escape_unicode()),
        }
    }
    out
}
