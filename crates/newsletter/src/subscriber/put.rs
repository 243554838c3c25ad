//! The command of the membership system: a report of a subscriber.

use kernel::{
    body::{self, BodyError},
    field::Patch,
};
use time::OffsetDateTime;

use super::{
    Email, InvalidEmail, Membership, MigrationToken, SubscriberId,
    payload::{MembershipFields, SubscriberFields},
};

/// Creates or partially updates a subscriber.
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
    /// The subscriber's previous address, if the report has one.
    pub previous: Option<Email>,
    /// The time of the report, if it has one.
    pub as_of: Option<OffsetDateTime>,
    /// The id to use if the address is new.
    pub new_id: SubscriberId,
    /// The token to use if the address is new.
    pub new_token: MigrationToken,
}

impl PutSubscriber {
    /// The field name of errors of the address.
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
