//! The name of an image in its parts.

/// An image such as `registry.example.com:5000/shop:1.4@sha256:…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image<'i> {
    /// What stands before the tag, as written: `registry.example.com:5000/shop`.
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
}
