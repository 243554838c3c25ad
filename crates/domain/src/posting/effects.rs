//! The changes of content by an accepted push, for its import's summary.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use super::Details;

/// The values that a push newly set or removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The fields that lost their value, in the order of [`Details::OPTIONAL_FIELDS`].
    lost: u64,
    /// Whether the description fell below a third of its length.
    pub is_shrunk: bool,
    /// Hashes of the newly set description, title and application link.
    pub set: [Option<u64>; 3],
}

impl Effects {
    pub(crate) fn of(before: Option<&Details>, after: &Details) -> Self {
        let digest = |details: &Details| *details.raw_description.essence();
        let link = |details: &Details| details.application_url.clone();
        let set = [
            set(before.map(digest).as_ref(), &digest(after)),
            set(before.map(|before| &before.title), &after.title),
            after
                .application_url
                .is_some()
                .then(|| set(before.map(link).as_ref(), &link(after)))
                .flatten(),
        ];
        let Some(before) = before else {
            return Self {
                set,
                ..Self::default()
            };
        };
        let length = |details: &Details| details.raw_description.length();
        Self {
            lost: before.set_fields() & !after.set_fields(),
            is_shrunk: set[0].is_some() && length(after) < length(before) / 3,
            set,
        }
    }

    /// The names of the fields that lost their value.
    pub fn lost(&self) -> impl Iterator<Item = &'static str> {
        let fields = Details::OPTIONAL_FIELDS.iter().enumerate();
        let lost = fields.filter(|(at, _)| self.lost >> at & 1 == 1);
        // Reopening clears the reason of the expiry.
        let lost = lost.filter(|(_, field)| **field != "expiration_reason");
        lost.map(|(_, field)| *field)
    }
}

fn set<T: Hash + PartialEq>(before: Option<&T>, after: &T) -> Option<u64> {
    (before != Some(after)).then(|| {
        let mut hasher = DefaultHasher::new();
        after.hash(&mut hasher);
        hasher.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_shrinks_below_a_third() {
        let of = |text: &str| Details {
            raw_description: text.into(),
            ..Details::default()
        };
        let before = of("Breads.");
        for (after, expect) in [("Breads.", false), ("Br", false), ("B", true)] {
            let effects = Effects::of(Some(&before), &of(after));
            assert_eq!(effects.is_shrunk, expect, "{after}");
        }
        let [one, other] = ["Br", "B"].map(|text| Effects::of(None, &of(text)).set[0]);
        assert_ne!(one, other);
    }
}
