//! The allow-list of the options of `kustomize build` that the platform owner may set.

/// Options of `kustomize build`. All of them are on the allow-list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// The options as command line arguments, as written.
    pub arguments: Vec<String>,
    /// `--enable-helm`: kustomize may start helm.
    pub enables_helm: bool,
    /// `--enable-alpha-plugins`: kustomize may run the platform owner's plugins.
    pub enables_plugins: bool,
    /// `--load-restrictor LoadRestrictionsNone`: kustomize may read every file of the system.
    pub is_unrestricted: bool,
}

/// Options without a value. `--enable-exec` is missing on purpose: it lets everyone who can write to a repository run programs.
const SWITCHES: [&str; 3] = [ENABLE_HELM, ENABLE_PLUGINS, "--helm-debug"];

const ENABLE_HELM: &str = "--enable-helm";
const ENABLE_PLUGINS: &str = "--enable-alpha-plugins";

const LOAD_RESTRICTOR: &str = "--load-restrictor";
const UNRESTRICTED: &str = "LoadRestrictionsNone";

/// Options with a value, and the values that kustomize 5 accepts (`kustomize/commands/build`).
const CHOICES: [(&str, &[&str]); 2] =
    [(LOAD_RESTRICTOR, &["LoadRestrictionsRootOnly", UNRESTRICTED]), ("--reorder", &["legacy", "none"])];

impl BuildOptions {
    /// Parses the text of `kustomize.buildOptions`: words separated by white space, without quotes, as Argo CD splits it
    /// (`util/kustomize/kustomize.go`). The error is the first word that is not allowed, or the name of an option whose value is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let (name, written) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            if SWITCHES.contains(&name) {
                options.switch(word, name, written)?;
                continue;
            }
            let Some((_, values)) = CHOICES.iter().find(|(known, _)| *known == name) else {
                return Err(word.to_owned());
            };
            let value = written.or_else(|| words.next()).ok_or_else(|| word.to_owned())?;
            if !values.contains(&value) {
                return Err(if written.is_some() { word } else { value }.to_owned());
            }
            options.arguments.push(word.to_owned());
            if written.is_none() {
                options.arguments.push(value.to_owned());
            }
            if name == LOAD_RESTRICTOR {
                // If the option occurs twice, the last one counts.
                options.is_unrestricted = value == UNRESTRICTED;
            }
        }
        Ok(options)
    }

    fn switch(&mut self, word: &str, name: &str, written: Option<&str>) -> Result<(), String> {
        let is_on = match written {
            None | Some("true") => true,
            Some("false") => false,
            Some(_) => return Err(word.to_owned()),
        };
        match name {
            ENABLE_HELM => self.enables_helm = is_on,
            ENABLE_PLUGINS => self.enables_plugins = is_on,
            _ => {}
        }
        self.arguments.push(word.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_the_list_is_taken_as_it_is_written() {
        for text in [
            "",
            " \t ",
            "--enable-helm",
            "--enable-helm=true --helm-debug --enable-alpha-plugins",
            "--load-restrictor LoadRestrictionsRootOnly",
            "--load-restrictor=LoadRestrictionsNone\n--reorder none",
            "--reorder=legacy",
        ] {
            let options = BuildOptions::parse(text).unwrap();
            assert_eq!(options.arguments, text.split_whitespace().collect::<Vec<_>>(), "{text}");
            assert_eq!(options.enables_helm, text.contains("--enable-helm"), "{text}");
            assert_eq!(options.enables_plugins, text.contains("--enable-alpha-plugins"), "{text}");
            assert_eq!(options.is_unrestricted, text.contains("None"), "{text}");
        }
    }

    #[test]
    fn the_last_one_counts() {
        let text = "--load-restrictor LoadRestrictionsNone --enable-helm --load-restrictor=LoadRestrictionsRootOnly --enable-helm=false";
        let options = BuildOptions::parse(text).unwrap();
        assert!(!options.is_unrestricted && !options.enables_helm, "{options:?}");
    }

    #[test]
    fn everything_else_is_refused_with_the_word() {
        for (text, word) in [
            ("--enable-exec", "--enable-exec"),
            ("--enable-helm --enable-exec=true", "--enable-exec=true"),
            ("--enable-alpha-plugins=yes", "--enable-alpha-plugins=yes"),
            ("--load-restrictor", "--load-restrictor"),
            ("--load-restrictor --enable-exec", "--enable-exec"),
            ("--load-restrictor none", "none"),
            ("--load-restrictor=", "--load-restrictor="),
            ("--reorder legacy,none", "legacy,none"),
            ("--helm-command=/bin/sh", "--helm-command=/bin/sh"),
            ("--helm-command /bin/sh", "--helm-command"),
            ("-o /tmp/x", "-o"),
            ("--network", "--network"),
            ("--mount type=bind", "--mount"),
            ("--env A", "--env"),
            ("--", "--"),
            ("/etc", "/etc"),
            ("'--enable-helm'", "'--enable-helm'"),
            ("--Enable-Helm", "--Enable-Helm"),
            ("--enable-hel", "--enable-hel"),
            ("--enable-helm\0", "--enable-helm\0"),
        ] {
            assert_eq!(BuildOptions::parse(text), Err(word.to_owned()), "{text}");
        }
    }
}
