//! Notes for people: what was assumed, and what was left out. They are collected here, and the program prints them.

use std::sync::{Arc, Mutex, PoisonError};

use text::without_passwords;

use crate::required::RequiredValue;

/// A note, which is not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A sentence.
    Text(String),
    /// The values that the templates of a chart require, and that it lacks here.
    Required(Vec<RequiredValue>),
}

/// The notes of a run, in the order in which they were added. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Notes(Arc<Mutex<Vec<Note>>>);

impl Notes {
    /// Adds a sentence.
    pub fn add(&self, text: impl Into<String>) {
        self.push(Note::Text(without_passwords(&text.into()).into_owned()));
    }

    /// Adds a note.
    pub fn push(&self, note: Note) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    /// Takes all notes out.
    pub fn take(&self) -> Vec<Note> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
