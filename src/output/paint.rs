//! Colours for people at a terminal: the eight that every terminal has, chosen so that they can be read on light and on dark.

use std::fmt;

use anstyle::{AnsiColor, Style};

/// Whether to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// Plain text.
    #[default]
    Plain,
    /// With escape sequences.
    Coloured,
}

/// What a piece of text is, which decides how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// As it is.
    Plain,
    /// What the eye should find.
    Strong,
    /// What is there for those who look for it.
    Faint,
    /// An error, and what goes.
    Bad,
    /// A warning, and what changes.
    Warning,
    /// What is well, and what comes.
    Good,
    /// Help, and information.
    Info,
}

impl Ink {
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
    /// `text` in this ink, or as it is.
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
