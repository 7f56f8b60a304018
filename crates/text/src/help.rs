//! What to do about a mistake: for everybody, and for users of the plugin.

use std::borrow::Cow;
use std::fmt;

/// What to do about a mistake: lower case, without a full stop. Displays as `anyone; with the plugin, plugin`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Help {
    /// What everybody can do. Empty if only the plugin helps.
    anyone: Cow<'static, str>,
    /// What users of the plugin can do instead, as the end of a sentence. Empty if the plugin does not help.
    plugin: Cow<'static, str>,
}

impl Help {
    /// What users of the plugin can do, if nobody else can do anything.
    pub fn of_plugin(plugin: impl Into<Cow<'static, str>>) -> Self {
        Self::default().with_plugin(plugin)
    }

    /// The same help, and what users of the plugin can do instead.
    #[must_use]
    pub fn with_plugin(self, plugin: impl Into<Cow<'static, str>>) -> Self {
        Self { plugin: plugin.into(), ..self }
    }

    /// The same help for somebody who does not use the plugin.
    #[must_use]
    pub fn without_plugin(self) -> Self {
        Self { plugin: Cow::default(), ..self }
    }

    /// Whether there is no help at all.
    pub fn is_empty(&self) -> bool {
        self.anyone.is_empty() && self.plugin.is_empty()
    }
}

impl<T: Into<Cow<'static, str>>> From<T> for Help {
    fn from(anyone: T) -> Self {
        Self { anyone: anyone.into(), plugin: Cow::default() }
    }
}

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.anyone)?;
        let link = if self.anyone.is_empty() || self.plugin.is_empty() { "" } else { "; " };
        let plugin = if self.plugin.is_empty() { "" } else { "with the plugin, " };
        write!(f, "{link}{plugin}{}", self.plugin)
    }
}

#[cfg(test)]
mod tests {
    use super::Help;

    #[test]
    fn each_part_can_be_alone() {
        let both = Help::from("rename the Job").with_plugin("the strategy `hash-name` does this");
        assert_eq!(both.to_string(), "rename the Job; with the plugin, the strategy `hash-name` does this");
        assert_eq!(both.without_plugin().to_string(), "rename the Job");
        let only = Help::of_plugin("use the strategy `hash-name`");
        assert_eq!(only.to_string(), "with the plugin, use the strategy `hash-name`");
        assert!(!only.is_empty() && only.without_plugin().is_empty());
    }
}
