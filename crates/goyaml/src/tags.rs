//! The tags of one document, in the order of its scalars.

/// All tags in one text: a separate string for each would need several times as much memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Tags {
    text: String,
    /// The number of each tagged scalar, and the start and end of its tag in `text`.
    places: Vec<(u32, u32, u32)>,
}

impl Tags {
    /// Adds the tag of the next scalar. Reuses the text of the previous tag if both are equal.
    pub(super) fn push(&mut self, id: u32, tag: &str) {
        let place = match self.places.last() {
            Some((_, start, end)) if &self.text[*start as usize..*end as usize] == tag => (id, *start, *end),
            _ => {
                let start = self.text.len() as u32;
                self.text.push_str(tag);
                (id, start, self.text.len() as u32)
            }
        };
        self.places.push(place);
    }

    /// The tag of the scalar with the number `id`.
    pub(super) fn get(&self, id: u32) -> Option<&str> {
        let found = self.places.binary_search_by_key(&id, |(id, ..)| *id).ok()?;
        let (_, start, end) = self.places[found];
        Some(&self.text[start as usize..end as usize])
    }

    /// Removes all tags, and keeps the memory for the next document.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scalar_has_its_own_tag() {
        let mut tags = Tags::default();
        for (id, tag) in [(1, "a"), (3, "a"), (4, "bc"), (9, ""), (10, "a")] {
            tags.push(id, tag);
        }
        let found: Vec<_> = (0..=10).filter_map(|id| Some((id, tags.get(id)?))).collect();
        assert_eq!(found, [(1, "a"), (3, "a"), (4, "bc"), (9, ""), (10, "a")]);
        assert_eq!(tags.text, "abca");
        tags.clear();
        assert_eq!(tags.get(1), None);
    }
}
