//! The command of the specification's one operation.

use super::{PostingId, PostingPatch, PostingPayload, SourceIdentifier};
use crate::{
    body::{self, BodyError},
    client::ClientId,
    validation::FieldErrors,
};

/// Create, update or expire a posting: which of them, [`super::decide`] finds out.
#[derive(Clone, Debug)]
pub struct PutPosting {
    /// The posting's identifier.
    pub identifier: SourceIdentifier,
    /// The changes.
    pub patch: PostingPatch,
    /// The errors of the payload itself, reported together with the fields that a *new* posting
    /// lacks: only the store knows whether it is new.
    pub errors: FieldErrors,
    /// The client that pushes.
    pub by: ClientId,
    /// The id to use if the posting is new.
    pub new_id: PostingId,
}

impl PutPosting {
    /// The field name under which a bad identifier is reported.
    pub const IDENTIFIER: &'static str = "unique_source_identifier";

    /// Parses a request: the raw, percent-encoded path segment and the body.
    pub fn parse(
        segment: &str,
        body: &[u8],
        by: ClientId,
        new_id: PostingId,
    ) -> Result<Self, BodyError> {
        let text = body::text(body)?;
        let (patch, mut errors) = PostingPayload::from_json(text)?.into_patch();
        body::refuse_nul(text, PostingPayload::OBJECTS, &mut errors);
        match SourceIdentifier::from_path_segment(segment) {
            Ok(identifier) => Ok(Self {
                identifier,
                patch,
                errors,
                by,
                new_id,
            }),
            Err(error) => {
                errors.add(Self::IDENTIFIER, error.to_string());
                Err(BodyError::Invalid(errors))
            }
        }
    }

    /// Parses a request as [`Self::parse`] does, and makes unknown fields errors, which it ignores.
    pub fn parse_strictly(
        segment: &str,
        body: &[u8],
        by: ClientId,
        new_id: PostingId,
    ) -> Result<Self, BodyError> {
        let text = body::text(body)?;
        let refuse = |errors: &mut FieldErrors| {
            body::refuse_unknown(text, PostingPayload::KNOWN, errors);
        };
        let mut parsed = Self::parse(segment, body, by, new_id);
        match &mut parsed {
            Ok(Self { errors, .. }) | Err(BodyError::Invalid(errors)) => refuse(errors),
            Err(BodyError::NotJson(_)) => {}
        }
        parsed
    }
}
