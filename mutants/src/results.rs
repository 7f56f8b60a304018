//! What was judged: kept in files, so that a run can be continued, and printed with its error bar.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::judge::Outcome;
use crate::list::{Mutant, hash};

/// Results of earlier runs, by the mutant and its file's text.
pub struct Results {
    file: PathBuf,
    fingerprints: HashMap<String, String>,
    known: HashMap<String, Outcome>,
}

/// Mutants that no test can tell from the program, with the reason.
pub struct Explained(BTreeMap<String, String>);

impl Explained {
    /// Each line is a mutant's name and, after a tab, the reason.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let mut found = BTreeMap::new();
        for line in fs::read_to_string(path)?.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, reason) = line.split_once('\t').ok_or_else(|| format!("no reason after a tab: {line}"))?;
            found.insert(name.to_owned(), reason.to_owned());
        }
        Ok(Self(found))
    }

    pub fn has(&self, mutant: &Mutant) -> bool {
        self.0.contains_key(&mutant.key)
    }

    /// Those that do not exist any more.
    pub fn stale(&self, all: &[Mutant]) -> Vec<&str> {
        self.0.keys().filter(|key| !all.iter().any(|mutant| mutant.key == **key)).map(String::as_str).collect()
    }
}

impl Results {
    /// Reads what all shards have written in `dir`; this one writes into `file` there.
    pub fn read(root: &Path, all: &[Mutant], dir: &Path, file: &str) -> Result<Self, Box<dyn Error>> {
        fs::create_dir_all(dir)?;
        let mut known = HashMap::new();
        for entry in fs::read_dir(dir)? {
            for line in fs::read_to_string(entry?.path())?.lines() {
                let mut fields = line.split('\t');
                let (Some(key), Some(word), Some(detail)) = (fields.next(), fields.next(), fields.next()) else {
                    continue;
                };
                let outcome = match word {
                    "caught" => Outcome::Caught(detail.to_owned()),
                    "endless" => Outcome::Endless(detail.to_owned()),
                    "unviable" => Outcome::Unviable,
                    // New tests may catch it.
                    _ => continue,
                };
                known.insert(key.to_owned(), outcome);
            }
        }
        Ok(Self { file: dir.join(file), fingerprints: fingerprints(root, all), known })
    }

    pub fn get(&self, mutant: &Mutant) -> Option<&Outcome> {
        self.known.get(&self.key(mutant))
    }

    fn key(&self, mutant: &Mutant) -> String {
        let fingerprint = self.fingerprints.get(&mutant.file).map_or("", String::as_str);
        format!("{} {fingerprint}", mutant.key)
    }

    pub fn put(&mut self, mutant: &Mutant, outcome: &Outcome) -> Result<(), Box<dyn Error>> {
        let (word, detail) = match outcome {
            Outcome::Caught(test) => ("caught", test.clone()),
            Outcome::Endless(test) => ("endless", test.clone()),
            Outcome::Unviable => ("unviable", "-".to_owned()),
            Outcome::Missed(count) => ("missed", count.to_string()),
        };
        let mut file = OpenOptions::new().append(true).create(true).open(&self.file)?;
        file.write_all(format!("{}\t{word}\t{detail}\n", self.key(mutant)).as_bytes())?;
        Ok(())
    }
}

/// What comes after the name of each mutant of a file: a change of the file makes all its mutants new ones, unless only its tests change.
fn fingerprints(root: &Path, all: &[Mutant]) -> HashMap<String, String> {
    let of = |file: &str| {
        let text = fs::read_to_string(root.join(file)).unwrap_or_default();
        format!("[{:016x}]", hash(text.split("\n#[cfg(test)]\n").next().unwrap_or_default()))
    };
    let files: BTreeSet<&String> = all.iter().map(|mutant| &mutant.file).collect();
    files.into_iter().map(|file| (file.clone(), of(file))).collect()
}

/// How many mutants of each module had which outcome.
#[derive(Default)]
pub struct Summary(BTreeMap<String, [usize; 5]>);

impl Summary {
    pub fn add(&mut self, mutant: &Mutant, outcome: &Outcome, is_explained: bool) {
        let module = mutant.file.split('/').nth(1).unwrap_or_default().to_owned();
        let column = match outcome {
            Outcome::Caught(_) => 0,
            Outcome::Endless(_) => 1,
            Outcome::Missed(_) if is_explained => 2,
            Outcome::Missed(_) => 3,
            Outcome::Unviable => 4,
        };
        for row in [module, "all".to_owned()] {
            self.0.entry(row).or_default()[column] += 1;
        }
    }

    pub fn missed(&self) -> usize {
        self.0.get("all").map_or(0, |counts| counts[3])
    }

    pub fn print(&self) {
        println!("| module | caught | endless | explained | missed | do not compile | score | 95 % |");
        println!("|---|---|---|---|---|---|---|---|");
        let (all, modules): (Vec<_>, Vec<_>) = self.0.iter().partition(|(module, _)| *module == "all");
        for (module, [caught, endless, explained, missed, unviable]) in modules.into_iter().chain(all) {
            let (good, judged) = (caught + endless, caught + endless + missed);
            let (low, high) = wilson(good, judged);
            let score = 100.0 * good as f64 / judged.max(1) as f64;
            println!(
                "| {module} | {caught} | {endless} | {explained} | {missed} | {unviable} | {score:.1} % | {low:.1} – {high:.1} % |"
            );
        }
    }
}

/// The interval by Wilson, in percent.
fn wilson(good: usize, all: usize) -> (f64, f64) {
    if all == 0 {
        return (0.0, 100.0);
    }
    let (z, n) = (1.96_f64, all as f64);
    let p = good as f64 / n;
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    (100.0 * (middle - half).max(0.0), 100.0 * (middle + half).min(1.0))
}
