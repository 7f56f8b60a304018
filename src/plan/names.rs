//! The names of all Jobs, and what is compared with them: some 50 bytes for each, because a plan holds those of all Jobs at a time.

use super::JobPlan;
use crate::argocd::Phase;
use crate::strategy::Strategy;

/// The names of all Jobs, in the order of the manifests. They are held in parts, so that no list of all of them has to grow.
#[derive(Debug, Default)]
pub(super) struct Names(Vec<Part>);

/// How many bytes of text a part has before the next one is begun.
const PART: usize = 1 << 16;

/// The names of neighbouring Jobs.
#[derive(Debug, Default)]
struct Part {
    /// The texts of all records, one after another.
    text: String,
    records: Vec<Record>,
}

/// Where each text of one Job ends; it starts where the one before ends. A text that is empty stands for none: no Job has an empty name.
#[derive(Clone, Copy, Debug)]
struct Record {
    manifest: u32,
    offset: u32,
    namespace: u32,
    name: u32,
    /// Nothing is stored of an input name that is the name.
    input_name: u32,
    emitted: u32,
    digest: u32,
    flags: u8,
}

/// The strategy leaves the Job as it is.
const KEPT: u8 = 1;
/// The emitted text is a `generateName`.
const GENERATED: u8 = 2;
/// The input name is the name.
const SAME: u8 = 4;
/// The number of the bit of the first phase; those of the others follow.
const FIRST_PHASE: u32 = 4;

const _: () = assert!((KEPT | GENERATED | SAME) >> FIRST_PHASE == 0, "the phases have bits of their own");
const _: () = assert!(FIRST_PHASE as usize + Phase::ALL.len() <= u8::BITS as usize, "there is a bit for each phase");

/// What is known of one Job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named<'n> {
    /// Its number among all Jobs.
    pub(super) number: usize,
    /// The index of its manifest.
    pub(super) manifest: usize,
    /// The byte offset in the manifest of its name, or of the Job when it has none.
    pub(super) offset: usize,
    /// `metadata.namespace`
    pub(super) namespace: Option<&'n str>,
    /// `metadata.name` in the input.
    pub(super) name: Option<&'n str>,
    /// The name before a strategy adds its suffix; a `generateName` with its dash.
    pub(super) input_name: Option<&'n str>,
    /// `metadata.name` as emitted.
    pub(super) emitted: Option<&'n str>,
    /// `metadata.generateName` as emitted, where there is no name.
    pub(super) generate_name: Option<&'n str>,
    /// What changes when the hook does; none for a Job that starts no sync.
    pub(super) digest: Option<&'n str>,
    flags: u8,
}

impl Named<'_> {
    /// True for a Job that its strategy leaves as it is.
    pub(super) fn is_kept(&self) -> bool {
        self.flags & KEPT != 0
    }

    /// True when the Job runs as a hook in this phase.
    pub(super) fn runs_in(&self, phase: Phase) -> bool {
        self.flags & bit(phase) != 0
    }

    /// The phases in which the Job runs as a hook.
    pub(super) fn phases(&self) -> impl Iterator<Item = Phase> {
        Phase::ALL.into_iter().filter(|phase| self.runs_in(*phase))
    }
}

fn bit(phase: Phase) -> u8 {
    1 << (FIRST_PHASE + phase as u32)
}

impl Part {
    fn add(&mut self, job: &JobPlan) {
        let name = job.name.as_deref().unwrap_or("");
        let input_name = job.outcome.input_name.as_ref().map_or("", |input| &input.name);
        let generate_name = job.emitted.generate_name.as_deref().filter(|_| job.emitted.name.is_none());
        let mut flags = if job.outcome.decision.strategy == Strategy::Keep { KEPT } else { 0 };
        flags |= if generate_name.is_some() { GENERATED } else { 0 };
        flags |= if name == input_name { SAME } else { 0 };
        let flags = job.emitted.phases.iter().fold(flags, |flags, phase| flags | bit(*phase));
        let mut end = |text: &str| {
            self.text.push_str(text);
            // Lossless: the texts of one Job are at most as long as all manifests, which have at most a gibibyte.
            self.text.len() as u32
        };
        let record = Record {
            manifest: job.manifest as u32,
            offset: job.offset as u32,
            namespace: end(job.namespace.as_deref().unwrap_or("")),
            name: end(name),
            input_name: end(if name == input_name { "" } else { input_name }),
            emitted: end(job.emitted.name.as_deref().or(generate_name).unwrap_or("")),
            digest: end(job.emitted.trigger_digest.as_deref().unwrap_or("")),
            flags,
        };
        self.records.push(record);
    }

    fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.records.shrink_to_fit();
    }

    fn iter(&self) -> impl Iterator<Item = Named<'_>> {
        let starts = std::iter::once(0).chain(self.records.iter().map(|record| record.digest));
        self.records.iter().zip(starts).map(|(record, start)| self.named(record, start))
    }

    fn named(&self, record: &Record, start: u32) -> Named<'_> {
        let text =
            |start: u32, end: u32| Some(&self.text[start as usize..end as usize]).filter(|text| !text.is_empty());
        let name = text(record.namespace, record.name);
        let own = text(record.name, record.input_name);
        let emitted = text(record.input_name, record.emitted);
        let has = |flag| record.flags & flag != 0;
        Named {
            number: 0,
            manifest: record.manifest as usize,
            offset: record.offset as usize,
            namespace: text(start, record.namespace),
            name,
            input_name: if has(SAME) { name } else { own },
            emitted: emitted.filter(|_| !has(GENERATED)),
            generate_name: emitted.filter(|_| has(GENERATED)),
            digest: text(record.emitted, record.digest),
            flags: record.flags,
        }
    }
}

impl Names {
    /// Adds a Job.
    pub(super) fn add(&mut self, job: &JobPlan) {
        if self.0.last().is_none_or(|last| last.text.len() >= PART) {
            self.shrink();
            self.0.push(Part::default());
        }
        if let Some(last) = self.0.last_mut() {
            last.add(job);
        }
    }

    /// Gives back the memory that is not needed.
    pub(super) fn shrink(&mut self) {
        self.0.last_mut().into_iter().for_each(Part::shrink);
    }

    /// Adds the Jobs of later documents.
    pub(super) fn absorb(&mut self, later: Self) {
        self.0.extend(later.0);
    }

    /// All Jobs.
    pub(super) fn iter(&self) -> impl Iterator<Item = Named<'_>> {
        let all = self.0.iter().flat_map(Part::iter).enumerate();
        all.map(|(number, job)| Named { number, ..job })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_needs_32_bytes_and_its_names() {
        assert_eq!(size_of::<Record>(), 32);
    }
}
