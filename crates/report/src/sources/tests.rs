//! Which sources have a row.

use deployment::row::{Lack, NotChecked};
use lint::count::Count;
use text::Message;

use super::*;

fn row(path: &str, outcome: Outcome) -> Row {
    Row {
        value_sets: Vec::new(),
        without: Vec::new(),
        requires: Vec::new(),
        path: path.to_owned(),
        application: None,
        further: Vec::new(),
        kind: "helm",
        outcome,
        is_new: true,
        origin: String::new(),
        is_manual: false,
        from: Vec::new(),
        is_assumed: false,
        is_broken: false,
        is_unread: false,
        may_work: false,
        changed: None,
        gone: None,
        unread_base: None,
        clusters: Vec::new(),
        is_of_base: false,
        may_change_unseen: false,
        unseen: Vec::new(),
        may_change_more: false,
    }
}

fn read(path: &str, open: [usize; 3]) -> Row {
    row(path, Outcome::Read { jobs: 1, count: Count { open, solved: 0, ignored: 0 } })
}

fn lines(rows: &[Row], show: Show) -> Vec<String> {
    print(rows, &PassedOver::default(), show).lines().map(ToOwned::to_owned).collect()
}

#[test]
fn few_sources_have_a_row_each() {
    let shown = lines(&[read("a", [0, 0, 0]), read("b", [0, 1, 0])], Show::default());
    let expected = ["SOURCE  KIND", "a       helm", "b       helm", "2 sources: 2"];
    assert!(shown.iter().zip(expected).all(|(line, expected)| line.starts_with(expected)), "{shown:?}");
    assert_eq!(shown.len(), expected.len());
}

#[test]
fn of_many_sources_the_worst_have_a_row() {
    let offline = || {
        let reason = NotChecked::of(Message::new("`helm` failed").help("allow it with `--network allow`"));
        Outcome::NotChecked(Box::new(NotChecked { lack: Some(Lack::Network), ..reason }))
    };
    let mut rows: Vec<Row> = (0..9).map(|index| read(&format!("clean{index}"), [0, 0, 3])).collect();
    rows.extend((10..30).map(|index| read(&format!("warned{index}"), [0, 1, 0])));
    rows.extend((0..4).map(|index| row(&format!("offline{index}"), offline())));
    rows.push(read("z", [1, 0, 0]));
    let shown = lines(&rows, Show::default());
    let rows_of = |shown: &[String], name: &str| shown.iter().filter(|line| line.starts_with(name)).count();
    for (name, count) in [("warned", ROWS - 1), ("z ", 1), ("clean", 0), ("offline", 0)] {
        assert_eq!(rows_of(&shown, name), count, "{name}: {shown:?}");
    }
    for line in [
        "4 sources not checked: needs the network (`--network allow`); `--all` lists them",
        "9 more sources; `--all` lists them",
        "9 sources with Jobs and no errors or warnings shown; `--all` lists them",
    ] {
        assert!(shown.iter().any(|shown| shown == line), "{line}: {shown:?}");
    }
    let all = lines(&rows, Show { all: true, ..Show::default() });
    assert!(rows.iter().all(|row| rows_of(&all, &format!("{} ", row.path)) == 1), "{all:?}");
}

#[test]
fn only_sources_with_jobs_are_counted_as_sources_with_jobs() {
    let with = |path: &str, jobs: usize| Row {
        without: vec!["the dependency `db`".to_owned()],
        ..row(path, Outcome::Read { jobs, count: Count::default() })
    };
    let rows = |jobs: usize| (0..20).map(move |index| with(&format!("clean{index:02}"), usize::from(index < jobs)));
    for (jobs, wanted) in [
        (0, &["20 sources with no Jobs, errors or warnings shown; `--all` lists them"][..]),
        (
            7,
            &[
                "7 sources with Jobs and no errors or warnings shown; `--all` lists them",
                "13 sources with no Jobs, errors or warnings shown; `--all` lists them",
            ],
        ),
        (20, &["20 sources with Jobs and no errors or warnings shown; `--all` lists them"]),
    ] {
        let shown = lines(&rows(jobs).collect::<Vec<Row>>(), Show::default());
        let shown: Vec<&str> =
            shown.iter().map(String::as_str).filter(|line| line.contains("errors or warnings")).collect();
        assert_eq!(shown, wanted);
    }
}
