//! The state in which a command changes nothing, in short.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::Posting;
use crate::company::Company;

/// The state in which a command changes nothing, in short: as long as a posting and its company
/// are in it, the same command changes nothing again. A hash of the posting's id, of its version,
/// which every commit that writes it moves on, and of what a push can change of the company:
/// companies have no version, and an identifier whose posting was deleted comes back with another
/// id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Basis(pub u64);

impl Basis {
    /// The state of a posting and its company.
    pub fn of(posting: &Posting, company: &Company) -> Self {
        // Its keys are the same in every process.
        let mut hasher = DefaultHasher::new();
        (posting.id, posting.version).hash(&mut hasher);
        (&company.name, &company.logo_path).hash(&mut hasher);
        Self(hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use kernel::{PostingId, testing::uuid};

    use super::*;
    use crate::testing::{company, posting};

    #[test]
    fn a_posting_that_was_written_or_came_back_is_another_state() {
        let company = company("acme");
        let before = posting(1, company.id);
        let written = Posting {
            version: before.version + 1,
            ..before.clone()
        };
        let came_back = Posting {
            id: PostingId::new(uuid(2)),
            ..before.clone()
        };
        assert_eq!(Basis::of(&before, &company), Basis::of(&before, &company));
        for after in [written, came_back] {
            assert_ne!(Basis::of(&before, &company), Basis::of(&after, &company));
        }
    }
}
