//! Repositories that are made up, and changes of them.

use std::collections::BTreeSet;
use std::fmt;

use scratch::Scratch;

pub(crate) const URL: &str = "https://git.example.com/shop.git";

/// A generator of numbers (xorshift64*): the same for the same seed on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    /// True once in `times`.
    fn is_once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// What declares an Application.
#[derive(Clone, Debug, PartialEq, Eq)]
enum By {
    /// A file that nothing renders.
    File,
    /// The root with this number.
    Root(usize),
    /// The middle with this number: a folder of Applications that only what a root renders names.
    Middle(usize),
}

impl By {
    fn any(random: &mut Random) -> Self {
        match random.below(4) {
            0 | 1 => Self::File,
            2 => Self::Root(random.below(ROOTS)),
            _ => Self::Middle(random.below(MIDDLES)),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Application {
    name: String,
    by: By,
    /// The folders of its sources, and the files that each leaves out.
    sources: Vec<(String, String)>,
    is_automated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Job {
    folder: String,
    name: String,
    image: usize,
}

/// One version of a repository.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    applications: Vec<Application>,
    /// The root that renders the Application of each middle.
    middles: [usize; MIDDLES],
    jobs: Vec<Job>,
    /// The folders that are not there.
    missing: BTreeSet<String>,
    /// Whether the files of the roots are in another order.
    is_reversed: bool,
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.applications.iter().try_for_each(|one| writeln!(f, "  {one:?}"))?;
        self.jobs.iter().try_for_each(|job| writeln!(f, "  {}/{}:{}", job.folder, job.name, job.image))?;
        writeln!(f, "  middles: {:?}, missing: {:?}", self.middles, self.missing)
    }
}

const NAMES: [&str; 5] = ["shop", "cart", "queue", "mail", "blog"];
const FOLDERS: [&str; 6] = ["services/a", "services/b", "services/c", "services/d", "tools/e", "tools/f"];
const JOBS: [&str; 3] = ["migrate", "seed", "index"];
const ROOTS: usize = 2;
const MIDDLES: usize = 2;

impl Tree {
    pub(crate) fn new(random: &mut Random) -> Self {
        let middles = std::array::from_fn(|_| random.below(ROOTS));
        let mut tree = Self { middles, ..Self::default() };
        (0..1 + random.below(6)).for_each(|_| tree.add_job(random));
        (0..random.below(5)).for_each(|_| tree.add_application(random));
        if random.is_once_in(4) {
            tree.missing.insert(random.one_of(&FOLDERS).to_owned());
        }
        tree
    }

    /// The tree after a commit with a few changes.
    pub(crate) fn changed(&self, random: &mut Random) -> Self {
        let mut tree = self.clone();
        (0..1 + random.below(4)).for_each(|_| tree.change(random));
        tree
    }

    /// The same, with everything that is declared in a list the other way round. The order of an Application's sources is theirs.
    pub(crate) fn reversed(&self) -> Self {
        let mut tree = self.clone();
        tree.applications.reverse();
        tree.jobs.reverse();
        tree.is_reversed = true;
        tree
    }

    /// How many sources the Application of this name has; one if it is that of a root or a middle.
    pub(crate) fn sources_of(&self, name: &str) -> usize {
        self.applications.iter().find(|one| one.name == name).map_or(1, |one| one.sources.len())
    }

    fn add_job(&mut self, random: &mut Random) {
        let (folder, name) = (random.one_of(&FOLDERS).to_owned(), random.one_of(&JOBS).to_owned());
        if !self.jobs.iter().any(|job| job.folder == folder && job.name == name) {
            self.jobs.push(Job { folder, name, image: random.below(3) });
        }
    }

    fn add_application(&mut self, random: &mut Random) {
        let name = random.one_of(&NAMES).to_owned();
        let by = By::any(random);
        // One cluster has one Application of a name.
        if self.applications.iter().any(|one| one.name == name) {
            return;
        }
        let mut sources = vec![Self::source(random)];
        if random.is_once_in(3) {
            sources.push(Self::source(random));
        }
        self.applications.push(Application { name, by, sources, is_automated: random.is_once_in(2) });
    }

    fn source(random: &mut Random) -> (String, String) {
        let left_out = if random.is_once_in(4) { random.one_of(&JOBS) } else { "" };
        (random.one_of(&FOLDERS).to_owned(), left_out.to_owned())
    }

    fn change(&mut self, random: &mut Random) {
        let (job, application) = (random.below(self.jobs.len()), random.below(self.applications.len()));
        match random.below(13) {
            0 => self.add_job(random),
            1 if !self.jobs.is_empty() => drop(self.jobs.remove(job)),
            2 if !self.jobs.is_empty() => self.jobs[job].image += 1,
            3 => self.add_application(random),
            4 => drop(self.missing.insert(random.one_of(&FOLDERS).to_owned())),
            5 => self.missing.clear(),
            _ if self.applications.is_empty() => self.add_application(random),
            6 => drop(self.applications.remove(application)),
            7 => self.applications[application].sources[0] = Self::source(random),
            8 => self.applications[application].sources.reverse(),
            9 => self.applications[application].by = By::any(random),
            12 => self.middles[random.below(MIDDLES)] = random.below(ROOTS),
            10 if self.applications[application].sources.len() > 1 => {
                drop(self.applications[application].sources.remove(0));
            }
            _ => self.applications[application].sources.push(Self::source(random)),
        }
    }

    /// The repository on disk.
    pub(crate) fn written(&self) -> Scratch {
        let mut scratch = Scratch::new().file(".git/HEAD", "").file("README.md", "");
        let is_there = |folder: &str| !self.missing.contains(folder);
        for folder in FOLDERS.iter().copied().filter(|folder| is_there(folder)) {
            let note = format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: note, labels: {{from: {}}}}}\n",
                folder.replace('/', "-")
            );
            scratch = scratch.file(&format!("{folder}/note.yaml"), note);
        }
        for job in self.jobs.iter().filter(|job| is_there(&job.folder)) {
            scratch = scratch.file(&format!("{}/{}.yaml", job.folder, job.name), job.text());
        }
        let declared = |by: &By| -> Vec<String> {
            self.applications.iter().filter(|one| one.by == *by).map(Application::text).collect()
        };
        let mut of_roots: [Vec<String>; ROOTS] = std::array::from_fn(|root| declared(&By::Root(root)));
        for (middle, root) in self.middles.iter().enumerate() {
            let children = declared(&By::Middle(middle));
            if !children.is_empty() {
                scratch = scratch.file(&format!("middles/{middle}/all.yaml"), children.join("---\n"));
                of_roots[*root].push(Application::of_middle(middle).text());
            }
        }
        for (root, mut children) in of_roots.into_iter().enumerate() {
            if self.is_reversed {
                children.reverse();
            }
            if !children.is_empty() {
                // Nobody looks for Applications among the templates of a chart: only the root says that they are there.
                scratch =
                    scratch.file(&format!("roots/{root}/Chart.yaml"), "apiVersion: v2\nname: root\nversion: 1.0.0\n");
                scratch = scratch.file(&format!("roots/{root}/templates/children.yaml"), children.join("---\n"));
                let of_root = Application::of_root(root).text();
                let place = if self.is_reversed { ROOTS - root } else { root };
                scratch = scratch.file(&format!("clusters/{place}.yaml"), of_root);
            }
        }
        let in_files = declared(&By::File);
        if in_files.is_empty() { scratch } else { scratch.file("applications/all.yaml", in_files.join("---\n")) }
    }
}

impl Job {
    fn text(&self) -> String {
        let Self { folder, name, image } = self;
        // Two Jobs with equal pods count as one.
        let container = format!("{{name: c, image: 'example/{folder}/{name}:{image}'}}");
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, labels: {{from: {}}}}}\n\
             spec: {{template: {{spec: {{restartPolicy: Never, containers: [{container}]}}}}}}\n",
            folder.replace('/', "-")
        )
    }
}

impl Application {
    fn of_root(root: usize) -> Self {
        let sources = vec![(format!("roots/{root}/templates"), String::new())];
        Self { name: format!("root-{root}"), by: By::File, sources, is_automated: true }
    }

    fn of_middle(middle: usize) -> Self {
        let sources = vec![(format!("middles/{middle}"), String::new())];
        Self { name: format!("middle-{middle}"), by: By::File, sources, is_automated: true }
    }

    fn text(&self) -> String {
        let Self { name, sources, is_automated, .. } = self;
        let source = |(path, left_out): &(String, String)| {
            let exclude = if left_out.is_empty() { String::new() } else { format!(", exclude: {left_out}.yaml") };
            format!("{{repoURL: '{URL}', path: {path}, directory: {{recurse: false{exclude}}}}}")
        };
        let all: Vec<String> = sources.iter().map(source).collect();
        let of_sources = match all.as_slice() {
            [one] => format!("source: {one}"),
            several => format!("sources: [{}]", several.join(", ")),
        };
        let sync = if *is_automated { "{automated: {prune: true}}" } else { "{}" };
        // Whoever deletes the Application deletes what it applies.
        let finalizers = "[resources-finalizer.argocd.argoproj.io]";
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd, finalizers: {finalizers}}}\n\
             spec:\n  project: default\n  destination: {{namespace: {name}, server: x}}\n  syncPolicy: {sync}\n  {of_sources}\n"
        )
    }
}
