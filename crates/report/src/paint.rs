//! Colours for terminals: the eight that every terminal has, chosen to be readable on light and on dark backgrounds.

use std::fmt;

use anstyle::{AnsiColor, Style};
use lint::Level;

/// Whether to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// Plain text.
    #[default]
    Plain,
    /// With escape sequences.
    Coloured,
}

/// The meaning of a piece of text, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// As it is.
    Plain,
    /// Emphasized.
    Strong,
    /// Less important.
    Faint,
    /// An error, or something removed.
    Bad,
    /// A warning, or something changed.
    Warning,
    /// Success, or something added.
    Good,
    /// Help, and information.
    Info,
}

impl Ink {
    /// The colour of a finding of this level.
    pub fn of(level: Level) -> Self {
        match level {
            Level::Error => Self::Bad,
            Level::Warning => Self::Warning,
            Level::Info => Self::Info,
        }
    }

    fn style(self) -> Style {
        let color = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        match self {
            Self::Plain => Style::new(),
            Self::Strong => Style::new().bold(),
            Self::Faint => Style::new().dimmed(),
            Self::Bad => color(AnsiColor::Red),
            Self::Warning => color(AnsiColor::Yellow),
            Self::Good => color(AnsiColor::Green),
            Self::Info => color(AnsiColor::Cyan),
        }
    }
}

impl Paint {
    /// `text` in this colour, or plain.
    pub fn ink(self, ink: Ink, text: impl fmt::Display) -> String {
        let text = text.to_string();
        match self {
            Self::Coloured if ink != Ink::Plain && !text.is_empty() => {
                let style = ink.style();
                format!("{style}{text}{style:#}")
            }
            _ => text,
        }
    }
}
