use fields::{
    Patch,
    body::{self, BodyError},
    fields,
};
use time::{Date, OffsetDateTime};

use super::{
    Email, InvalidEmail, Membership, MembershipStatus, MigrationToken, PlanCategory, SubscriberId,
};

/// The largest number of characters of a name or a country.
pub const LONGEST_TEXT: usize = 255;

fields! {
    struct SubscriberFields {
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
    struct MembershipFields {
        present plan_category: PlanCategory,
        present status: MembershipStatus,
        optional expires_at: Date,
    }
}

impl MembershipFields {
    fn into_membership(self) -> Option<Membership> {
        Some(Membership {
            plan_category: self.plan_category.into_value()?,
            status: self.status.into_value()?,
            expires_at: self.expires_at.into_value(),
        })
    }
}

/// A command that creates or partially updates a subscriber.
#[derive(Clone, Debug)]
pub struct PutSubscriber {
    /// The address.
    pub email: Email,
    /// The name.
    pub name: Patch<String>,
    /// The country.
    pub country: Patch<String>,
    /// The membership, replaced as a whole.
    pub membership: Patch<Membership>,
    /// The subscriber's previous address, if the report names one.
    pub previous: Option<Email>,
    /// The time that the report describes, if the report names one.
    pub as_of: Option<OffsetDateTime>,
    /// The id to use if the address is new.
    pub new_id: SubscriberId,
    /// The token to use if the address is new.
    pub new_token: MigrationToken,
}

impl PutSubscriber {
    /// The field name in errors about the address.
    pub const EMAIL: &'static str = "email";

    /// Parses a request: the raw, percent-encoded path segment and the body.
    pub fn parse(
        segment: &str,
        body: &[u8],
        new_id: SubscriberId,
        new_token: MigrationToken,
    ) -> Result<Self, BodyError> {
        Self::read(Email::from_path_segment(segment), body, new_id, new_token)
    }

    /// Parses a report from another source: a parsed address and the body.
    pub fn read(
        email: Result<Email, InvalidEmail>,
        body: &[u8],
        new_id: SubscriberId,
        new_token: MigrationToken,
    ) -> Result<Self, BodyError> {
        let (sent, mut errors) = body::parse::<SubscriberFields>(body::text(body)?)?;
        match email {
            Ok(email) if errors.is_empty() => Ok(Self {
                email,
                name: sent.name,
                country: sent.country,
                membership: sent.membership.and_then(MembershipFields::into_membership),
                previous: sent.previous_email.into_value(),
                as_of: sent.as_of.into_value(),
                new_id,
                new_token,
            }),
            Ok(_) => Err(BodyError::Invalid(errors)),
            Err(error) => {
                errors.add(Self::EMAIL, error.to_string());
                Err(BodyError::Invalid(errors))
            }
        }
    }
}
