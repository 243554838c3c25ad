//! The state in which a command changes nothing, as a hash.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use kernel::{PostingId, Version};

/// A hash of the state in which a command changes nothing: the posting's id and version, and its
/// company's name and logo, because companies have no version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Basis(pub u64);

impl Basis {
    /// The basis of a posting with this id and version and its company's name and logo.
    pub fn of((id, version): (PostingId, Version), company: (&str, Option<&str>)) -> Self {
        // This hasher has the same keys in every process.
        let mut hasher = DefaultHasher::new();
        (id, version, company).hash(&mut hasher);
        Self(hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use kernel::testing::uuid;

    use super::*;

    #[test]
    fn a_posting_that_was_written_or_came_back_is_another_state() {
        let [id, other] = [1, 2].map(|n| PostingId::new(uuid(n)));
        let before = Basis::of((id, 1), ("acme", None));
        assert_eq!(before, Basis::of((id, 1), ("acme", None)));
        for after in [
            Basis::of((id, 2), ("acme", None)),
            Basis::of((other, 1), ("acme", None)),
            Basis::of((id, 1), ("Acme", None)),
            Basis::of((id, 1), ("acme", Some("logo"))),
        ] {
            assert_ne!(before, after);
        }
    }
}
