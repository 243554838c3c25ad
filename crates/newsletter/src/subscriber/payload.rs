//! The fields of a report.

use kernel::fields;
use time::{Date, OffsetDateTime};

use super::{Email, Membership, MembershipStatus, PlanCategory};

/// The largest number of characters of a name, or of a country.
pub const LONGEST_TEXT: usize = 255;

fields! {
    /// The changes of a report.
    pub(super) struct SubscriberFields {
        #[garde(length(chars, max = LONGEST_TEXT))]
        optional name: String,
        #[garde(length(chars, max = LONGEST_TEXT))]
        optional country: String,
        optional membership: MembershipFields,
        optional previous_email: Email,
        optional as_of: OffsetDateTime,
    }
}

fields! {
    /// The fields of a membership, which is replaced as a whole.
    pub(super) struct MembershipFields {
        present plan_category: PlanCategory,
        present status: MembershipStatus,
        optional expires_at: Date,
    }
}

impl MembershipFields {
    /// The membership, unless one of its fields is in error.
    pub(super) fn into_membership(self) -> Option<Membership> {
        Some(Membership {
            plan_category: self.plan_category.into_value()?,
            status: self.status.into_value()?,
            expires_at: self.expires_at.into_value(),
        })
    }
}
