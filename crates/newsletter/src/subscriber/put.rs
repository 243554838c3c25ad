//! The command of the membership system: a report of a subscriber.

use kernel::{
    body::{self, BodyError},
    field::Patch,
};
use time::OffsetDateTime;

use super::{
    Email, InvalidEmail, Membership, MigrationToken, SubscriberId, payload::SubscriberPayload,
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
        let text = body::text(body)?;
        let payload: SubscriberPayload = body::read(text)?;
        let (changes, mut errors) = payload.into_changes();
        body::refuse_nul(text, &["membership"], &mut errors);
        match email {
            Ok(email) if errors.is_empty() => Ok(Self {
                email,
                name: changes.name,
                country: changes.country,
                membership: changes.membership,
                previous: changes.previous,
                as_of: changes.as_of,
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
