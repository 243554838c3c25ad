//! Notices: what a push that succeeded did not do.

use kernel::vocabulary::vocabulary;

vocabulary! {
    /// The code of a notice, a token of RFC 9651.
    NoticeCode {
        /// The posting stays down.
        TakenDown = "taken_down",
        /// The company's name and logo stay as they are.
        CompanyKept = "company_kept",
    }
}

/// A part of a push that was left undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// An operator took the posting down, so it stays down.
    TakenDown,
    /// The company belongs to another client, so its name and logo stay as they are.
    CompanyOfAnother,
    /// An earlier line of the import named the company, and decides its name and logo.
    CompanyNamedBefore,
}

impl Notice {
    /// The code.
    pub const fn code(self) -> NoticeCode {
        match self {
            Self::TakenDown => NoticeCode::TakenDown,
            Self::CompanyOfAnother | Self::CompanyNamedBefore => NoticeCode::CompanyKept,
        }
    }

    /// The notice as a sentence.
    pub const fn message(self) -> &'static str {
        match self {
            Self::TakenDown => {
                "An operator took this posting down; what was sent is stored, and it stays down."
            }
            Self::CompanyOfAnother => {
                "The company's name and logo stay as they are, because another client owns it."
            }
            Self::CompanyNamedBefore => {
                "The company's name and logo are those of the first line that names it."
            }
        }
    }
}

/// The notices of many pushes, by code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoticeCounts([u64; NoticeCode::ALL.len()]);

impl NoticeCounts {
    /// Counts a notice.
    pub const fn add(&mut self, notice: Notice) {
        self.0[notice.code() as usize] += 1;
    }

    /// The codes that there are notices of, with the number of notices.
    pub fn iter(&self) -> impl Iterator<Item = (NoticeCode, u64)> {
        let counts = NoticeCode::ALL.iter().copied().zip(self.0);
        counts.filter(|(_, count)| *count > 0)
    }
}
