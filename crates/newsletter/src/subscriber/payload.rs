//! The body of a report as sent, and the validation of each field.

use garde::Validate;
use kernel::{
    checks::{optional, present},
    field::{Choice, Field, Line, Object, Patch, line},
    validation::FieldErrors,
};
use serde::Deserialize;
use time::{Date, OffsetDateTime};

use super::{Email, Membership, MembershipStatus, PlanCategory, limits};

/// The body of a report, typed but not yet validated.
#[derive(Clone, Debug, Default, Deserialize, Validate)]
#[serde(default)]
pub(super) struct SubscriberPayload {
    #[garde(custom(optional), length(chars, max = limits::NAME))]
    name: Field<Line>,
    #[garde(custom(optional), length(chars, max = limits::COUNTRY))]
    country: Field<Line>,
    #[garde(custom(optional), dive)]
    membership: Field<Object<MembershipPayload>>,
    #[garde(custom(optional))]
    previous_email: Field<Choice<Email>>,
    #[garde(custom(optional))]
    as_of: Field<Choice<OffsetDateTime>>,
}

/// The body's `membership`, replaced as a whole.
#[derive(Clone, Debug, Default, Deserialize, Validate)]
#[serde(default)]
struct MembershipPayload {
    #[garde(custom(present))]
    plan_category: Field<Choice<PlanCategory>>,
    #[garde(custom(present))]
    status: Field<Choice<MembershipStatus>>,
    #[garde(custom(optional))]
    expires_at: Field<Choice<Date>>,
}

/// The changes of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) name: Patch<String>,
    pub(super) country: Patch<String>,
    pub(super) membership: Patch<Membership>,
    pub(super) previous: Option<Email>,
    pub(super) as_of: Option<OffsetDateTime>,
}

impl SubscriberPayload {
    /// Validates the payload and returns its changes with the errors.
    pub(super) fn into_changes(self) -> (Changes, FieldErrors) {
        let errors = self.validate().err().map(FieldErrors::from);
        let changes = Changes {
            name: line(self.name),
            country: line(self.country),
            membership: Patch::of(self.membership, |Object(payload)| payload.membership()),
            previous: term(&self.previous_email),
            as_of: term(&self.as_of),
        };
        (changes, errors.unwrap_or_default())
    }
}

impl MembershipPayload {
    /// `None` if a required field is missing or wrong.
    fn membership(self) -> Option<Membership> {
        let expires_at = match self.expires_at {
            Field::Value(Choice(day)) => day,
            _ => None,
        };
        Some(Membership {
            plan_category: term(&self.plan_category)?,
            status: term(&self.status)?,
            expires_at,
        })
    }
}

fn term<T: Clone>(field: &Field<Choice<T>>) -> Option<T> {
    field.value().and_then(|Choice(term)| term.clone())
}
