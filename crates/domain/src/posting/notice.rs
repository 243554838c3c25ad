//! Notices: parts of a successful push that were not done.

use std::{borrow::Cow, sync::Arc};

use fields::vocabulary::vocabulary;

use super::nearest::nearest;

vocabulary! {
    /// The code of a notice, a token of RFC 9651.
    NoticeCode {
        /// The posting had expired, and stays expired.
        StillExpired = "still_expired",
        /// An operator's rejection remains.
        StillRejected = "still_rejected",
        /// An operator expired the posting, and it stays expired.
        TakenDown = "taken_down",
        /// The closing date has passed, and the posting is expired.
        ClosingDatePassed = "closing_date_passed",
        /// The company's name or logo stays unchanged.
        CompanyKept = "company_kept",
        /// A value was corrected.
        Corrected = "corrected",
        /// A wrong value was left out.
        LeftOut = "left_out",
        /// Character references were replaced.
        Decoded = "decoded",
        /// An unknown field was left out.
        UnknownField = "unknown_field",
    }
}

/// A part of a push that was not done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Notice {
    /// The posting had expired, and new fields alone do not reopen it.
    StillExpired,
    /// An operator rejected the posting.
    StillRejected,
    /// An operator expired the posting.
    TakenDown,
    /// The closing date has passed.
    ClosingDatePassed,
    /// The company belongs to another client.
    CompanyOfAnother,
    /// An operator set the company's name or logo.
    CompanyOfOperator,
    /// The named website is an alias of the company.
    CompanyByAlias,
    /// An earlier line of the import named the company, and sets its name and logo.
    CompanyNamedBefore,
    /// The sent path is not the path of a field.
    UnknownField(Arc<str>),
    /// The value at this path (first) was replaced by this value (second).
    Corrected(Arc<str>, Arc<str>),
    /// The invalid value at this path was left out.
    LeftOut(Arc<str>),
    /// Character references at this path were replaced.
    Decoded(Arc<str>),
}

impl Notice {
    /// The code.
    pub const fn code(&self) -> NoticeCode {
        match self {
            Self::StillExpired => NoticeCode::StillExpired,
            Self::StillRejected => NoticeCode::StillRejected,
            Self::TakenDown => NoticeCode::TakenDown,
            Self::ClosingDatePassed => NoticeCode::ClosingDatePassed,
            Self::CompanyOfAnother
            | Self::CompanyOfOperator
            | Self::CompanyByAlias
            | Self::CompanyNamedBefore => NoticeCode::CompanyKept,
            Self::UnknownField(_) => NoticeCode::UnknownField,
            Self::Corrected(..) => NoticeCode::Corrected,
            Self::LeftOut(_) => NoticeCode::LeftOut,
            Self::Decoded(_) => NoticeCode::Decoded,
        }
    }

    /// The path of the field.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::UnknownField(path)
            | Self::Corrected(path, _)
            | Self::LeftOut(path)
            | Self::Decoded(path) => Some(path),
            _ => None,
        }
    }

    /// The value used instead of an invalid one.
    pub fn to(&self) -> Option<&str> {
        match self {
            Self::Corrected(_, to) => Some(to),
            _ => None,
        }
    }

    /// The field that the unknown one may misspell.
    pub fn nearest(&self) -> Option<String> {
        match self {
            Self::UnknownField(path) => nearest(path),
            _ => None,
        }
    }

    /// The notice as a sentence.
    pub fn message(&self) -> Cow<'static, str> {
        let message = match self {
            Self::StillExpired => {
                "The posting has expired and stays down; what was sent is stored. To bring it \
                 back, send \"expiration\": null."
            }
            Self::StillRejected => {
                "An operator rejected this posting; what was sent is stored, and the rejection \
                 stands."
            }
            Self::TakenDown => {
                "An operator took this posting down; what was sent is stored, and it stays down."
            }
            Self::ClosingDatePassed => {
                "The closing date has passed, so the posting is expired. To bring it back, send a \
                 later valid_through."
            }
            Self::CompanyOfAnother => {
                "The company's name and logo stay as they are, because another client owns it."
            }
            Self::CompanyOfOperator => {
                "An operator set the company's name or logo, which stays as it is."
            }
            Self::CompanyByAlias => {
                "An operator merged this company into another one, whose name and logo stay as \
                 they are."
            }
            Self::CompanyNamedBefore => {
                "The company's name and logo are those of the first line that names it."
            }
            Self::Corrected(field, to) => {
                return format!("{field} was taken for \"{to}\".").into();
            }
            Self::LeftOut(field) => return format!("{field} was wrong, and was left out.").into(),
            Self::Decoded(field) => {
                return format!("{field} had character references, which were replaced.").into();
            }
            Self::UnknownField(field) => {
                let nearest = self.nearest();
                let nearest = nearest.map(|nearest| format!("; the nearest one is {nearest}"));
                let nearest = nearest.unwrap_or_default();
                return format!("{field} is not a known field, and was left out{nearest}.").into();
            }
        };
        message.into()
    }

    /// Whether the same command gets this notice again while posting and company stay unchanged.
    pub const fn is_repeatable(&self) -> bool {
        !matches!(self.code(), NoticeCode::CompanyKept)
    }
}

/// The notices of many pushes, by code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoticeCounts([u64; NoticeCode::ALL.len()]);

impl NoticeCounts {
    /// Counts a notice.
    pub const fn add(&mut self, notice: &Notice) {
        self.0[notice.code() as usize] += 1;
    }

    /// The codes with notices, and their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (NoticeCode, u64)> {
        let counts = NoticeCode::ALL.iter().copied().zip(self.0);
        counts.filter(|(_, count)| *count > 0)
    }
}

impl FromIterator<(NoticeCode, u64)> for NoticeCounts {
    fn from_iter<I: IntoIterator<Item = (NoticeCode, u64)>>(counts: I) -> Self {
        let mut all = Self::default();
        for (code, count) in counts {
            all.0[code as usize] = count;
        }
        all
    }
}
