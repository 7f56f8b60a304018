//! The JUnit report of `argocd-jobs test`: an XML reader gets back the original texts, whatever the names of folders
//! and the output contain.

use std::fs;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::{JOB, test};
use crate::support::scratch::Scratch;

/// An element: its name, its attributes in order, and the text directly inside.
#[derive(Debug, Default, PartialEq, Eq)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
}

impl Element {
    fn get(&self, attribute: &str) -> &str {
        self.attributes.iter().find(|(name, _)| name == attribute).map_or("", |(_, value)| value)
    }
}

/// All elements of a document, in the order of their start tags.
fn elements(xml: &str) -> Vec<Element> {
    let mut reader = Reader::from_str(xml);
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                open.push(elements.len());
                elements.push(element(&start));
            }
            Event::Empty(start) => elements.push(element(&start)),
            Event::End(_) => drop(open.pop().unwrap()),
            Event::Text(text) => {
                let text = text.xml_content(XmlVersion::Explicit1_0);
                // Between elements there is only indentation.
                assert!(!text.contains("]]>"), "{text}");
                if let Some(element) = open.last() {
                    elements[*element].text += &text;
                }
            }
            Event::GeneralRef(reference) => {
                let known = [("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'")];
                let name: &str = &reference;
                let (_, value) = known.iter().find(|(known, _)| *known == name).unwrap();
                elements[*open.last().unwrap()].text += value;
            }
            Event::Decl(_) => assert_eq!(elements, []),
            Event::Eof => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(open.is_empty());
    elements
}

fn element(start: &BytesStart<'_>) -> Element {
    let attribute = |found: quick_xml::events::attributes::Attribute<'_>| {
        let value = found.normalized_value(XmlVersion::Explicit1_0).unwrap().into_owned();
        (found.key.as_ref().to_owned(), value)
    };
    Element {
        name: start.name().as_ref().to_owned(),
        attributes: start.attributes().map(|found| attribute(found.unwrap())).collect(),
        text: String::new(),
    }
}

/// Whether no terminal obeys the character.
fn is_harmless(found: char) -> bool {
    found == '\n' || found == '\t' || !(found.is_control() || found == '\u{202e}')
}

#[test]
fn names_and_output_of_strangers_do_not_break_the_report() {
    let hostile = ["a\nb\r", "c\x1b[2Jd", "e]]>f", "g&amp;<h \"i\" 'j'>", "k\u{202e}l\u{ffff}m\u{85}", "]]><failure/>"];
    for (what, shown) in hostile.iter().zip([
        "a\\nb\\r",
        "c\\u{1b}[2Jd",
        "e]]>f",
        "g&amp;<h \"i\" 'j'>",
        "k\\u{202e}l\\u{ffff}m\\u{85}",
        "]]><failure/>",
    ]) {
        let scratch = Scratch::new();
        scratch.write(&format!("tests/{what}/in/job.yaml"), JOB);
        scratch.write(&format!("tests/{what}/stdout.yaml"), format!("{what}\0\x08\n"));
        scratch.write(&format!("tests/z{what}/case"), format!("generate '--{what}'\n"));
        let (status, stdout, stderr) = test(&scratch.source(), &["tests", "--format", "junit"]);
        assert_eq!(status, Some(2), "{stdout}{stderr}");
        assert!(stdout.chars().all(is_harmless) && !stdout.contains(['\u{fffe}', '\u{ffff}']), "{stdout:?}");
        assert!(stderr.chars().all(is_harmless), "{stderr:?}");
        let found = elements(&stdout);
        let names: Vec<&str> = found.iter().map(|element| element.name.as_str()).collect();
        assert_eq!(names, ["testsuites", "testsuite", "testcase", "failure", "testcase", "error"], "{stdout}");
        assert_eq!((found[1].get("tests"), found[1].get("failures"), found[1].get("errors")), ("2", "1", "1"));
        assert_eq!((found[2].get("classname"), found[2].get("name")), ("tests", shown));
        assert_eq!(found[4].get("name"), format!("z{shown}"));
        assert!(found[3].text.starts_with(&format!("--- tests/{shown}/stdout.yaml\n+++ got\n")), "{stdout}");
        assert!(found[3].text.contains("\\u{0}\\u{8}\n"), "{stdout}");
        assert!(found[5].text.starts_with(&format!("tests/z{shown}/case:")), "{stdout}");
        assert_eq!(found[5].get("message"), found[5].text.lines().next().unwrap());

        let (status, stdout, stderr) = test(&scratch.source(), &["tests", "--verbose"]);
        assert_eq!(status, Some(2));
        assert!(stdout.chars().all(is_harmless) && stderr.chars().all(is_harmless), "{stdout:?}{stderr:?}");
        // Only XML cannot represent this character.
        let shown = shown.replace("\\u{ffff}", "\u{ffff}");
        assert!(stdout.starts_with(&format!("tests/{shown}: differs ")), "{stdout}");
        assert!(stderr.starts_with(&format!("tests/z{shown}/case:")), "{stderr}");
    }
}

#[test]
fn updated_cases_have_passed() {
    let scratch = Scratch::new();
    scratch.write("tests/a/in/job.yaml", JOB);
    let (status, stdout, stderr) = test(&scratch.source(), &["./tests/", "--format=junit", "--update"]);
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    let found = elements(&stdout);
    assert_eq!(found.len(), 3, "{stdout}");
    assert_eq!((found[2].get("classname"), found[2].get("name")), ("tests", "a"));
    assert!(fs::read_to_string(scratch.source().join("tests/a/stdout.yaml")).is_ok());
    let (_, stdout, _) = test(&scratch.source().join("tests"), &[".", "--format=junit"]);
    assert_eq!(elements(&stdout)[2].get("classname"), "argocd-jobs test");
}
