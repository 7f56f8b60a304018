//! The name of an image in its parts.

use std::borrow::Cow;

/// The most characters of a digest that are shown: `sha256:` and twelve digits.
const DIGEST: usize = 19;

/// An image such as `registry.example.com:5000/shop:1.4@sha256:…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image<'i> {
    /// The part before the tag, as written: `registry.example.com:5000/shop`.
    pub repository: &'i str,
    /// The tag, if there is one.
    pub tag: Option<&'i str>,
    /// The digest, such as `sha256:…`, if there is one.
    pub digest: Option<&'i str>,
}

impl<'i> Image<'i> {
    /// Takes an image apart, whatever it is. A colon before the last slash belongs to a port.
    pub fn of(image: &'i str) -> Self {
        let (name, digest) = image.split_once('@').map_or((image, None), |(name, digest)| (name, Some(digest)));
        let last = name.rfind('/').map_or(0, |slash| slash + 1);
        let (repository, tag) = match name[last..].find(':').map(|colon| last + colon) {
            Some(colon) => (&name[..colon], Some(&name[colon + 1..])),
            None => (name, None),
        };
        Self { repository, tag, digest }
    }

    /// Whether its tag is `latest`, or it has neither a tag nor a digest, which means the same (`ParseImageName` in Kubernetes'
    /// `pkg/util/parsers`).
    pub fn is_latest(self) -> bool {
        self.tag.map_or(self.digest.is_none(), |tag| tag == "latest")
    }

    /// What differs between two images: their tags, or else the first digits of their digests, if the rest is the same. Otherwise both as a whole.
    pub fn change(old: &'i str, new: &'i str) -> (Cow<'i, str>, Cow<'i, str>) {
        let (was, is) = (Self::of(old), Self::of(new));
        let short = |digest: &'i str| match digest.char_indices().nth(DIGEST) {
            Some((end, _)) => Cow::Owned(format!("{}…", &digest[..end])),
            None => Cow::Borrowed(digest),
        };
        if was.repository != is.repository {
            return (old.into(), new.into());
        }
        match (was.tag.zip(is.tag), was.digest.zip(is.digest)) {
            (Some((old, new)), _) if old != new => (old.into(), new.into()),
            (_, Some((old, new))) if was.tag == is.tag => (short(old), short(new)),
            _ => (old.into(), new.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_a_repository_a_tag_and_a_digest() {
        let cases = [
            ("shop", "shop", None, None),
            ("shop:1.4", "shop", Some("1.4"), None),
            ("registry:5000/shop", "registry:5000/shop", None, None),
            ("registry:5000/a/shop:1", "registry:5000/a/shop", Some("1"), None),
            ("shop@sha256:ab", "shop", None, Some("sha256:ab")),
            ("r:5/shop:1@sha256:ab", "r:5/shop", Some("1"), Some("sha256:ab")),
            ("", "", None, None),
        ];
        for (image, repository, tag, digest) in cases {
            assert_eq!(Image::of(image), Image { repository, tag, digest }, "{image}");
        }
    }

    #[test]
    fn no_tag_and_no_digest_is_latest() {
        let latest = ["shop", "shop:latest", "r:5/shop", "shop:latest@sha256:ab", "shop@sha256:ab", "shop:1"];
        assert_eq!(latest.map(|image| Image::of(image).is_latest()), [true, true, true, true, false, false]);
    }

    #[test]
    fn images_differ_in_their_tag_or_as_a_whole() {
        let cases = [
            ("r:5000/shop:1", "r:5000/shop:2", ("1", "2")),
            ("r:5000/shop", "r:5000/other", ("r:5000/shop", "r:5000/other")),
            ("shop:1@sha256:0123456789abcdef", "shop:1@sha256:ab", ("sha256:0123456789ab…", "sha256:ab")),
            ("shop", "shop:2", ("shop", "shop:2")),
        ];
        for (old, new, (was, is)) in cases {
            assert_eq!(Image::change(old, new), (was.into(), is.into()), "{old} → {new}");
        }
    }
}
