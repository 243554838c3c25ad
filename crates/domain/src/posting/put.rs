//! The command of the specification's one operation.

use kernel::{InvalidIdentifier, PostingId, SourceIdentifier};
use kernel::{
    body::{self, BodyError},
    trace::TraceParent,
    validation::FieldErrors,
};

use super::{ExpirationPatch, PostingPatch, PostingPayload};
use crate::{authority::Principal, catalogue::CatalogueId};

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
    pub by: Principal,
    /// The catalogue that lists the posting, if any does.
    pub catalogue: Option<CatalogueId>,
    /// Whether an earlier line of the same import named the company, and so decides its name and
    /// logo.
    pub company_was_named: bool,
    /// The id to use if the posting is new.
    pub new_id: PostingId,
    /// The trace of the request, if it is traced.
    pub trace: Option<TraceParent>,
}

impl PutPosting {
    /// The field name under which a bad identifier is reported.
    pub const IDENTIFIER: &'static str = "unique_source_identifier";

    /// Parses a request: the raw, percent-encoded path segment and the body.
    pub fn parse(
        segment: &str,
        body: &[u8],
        by: Principal,
        new_id: PostingId,
    ) -> Result<Self, BodyError> {
        let identifier = SourceIdentifier::from_path_segment(segment);
        Self::read(identifier, body::text(body)?, by, new_id)
    }

    /// Parses a request as [`Self::parse`] does, and makes unknown fields errors, which it ignores.
    pub fn parse_strictly(
        segment: &str,
        body: &[u8],
        by: Principal,
        new_id: PostingId,
    ) -> Result<Self, BodyError> {
        let identifier = SourceIdentifier::from_path_segment(segment);
        Self::read_strictly(identifier, body::text(body)?, by, new_id)
    }

    /// Reads a payload for an identifier.
    pub(crate) fn read(
        identifier: Result<SourceIdentifier, InvalidIdentifier>,
        payload: &str,
        by: Principal,
        new_id: PostingId,
    ) -> Result<Self, BodyError> {
        let mut read = Self::of(identifier, PostingPayload::from_json(payload)?, by, new_id);
        if let Ok(Self { errors, .. }) | Err(BodyError::Invalid(errors)) = &mut read {
            body::refuse_nul(payload, PostingPayload::OBJECTS, errors);
        }
        read
    }

    /// The command of a payload for an identifier.
    pub(crate) fn of(
        identifier: Result<SourceIdentifier, InvalidIdentifier>,
        payload: PostingPayload,
        by: Principal,
        new_id: PostingId,
    ) -> Result<Self, BodyError> {
        let (patch, mut errors) = payload.into_patch();
        match identifier {
            Ok(identifier) => Ok(Self {
                identifier,
                patch,
                errors,
                by,
                catalogue: None,
                company_was_named: false,
                new_id,
                trace: None,
            }),
            Err(error) => {
                errors.add(Self::IDENTIFIER, error.to_string());
                Err(BodyError::Invalid(errors))
            }
        }
    }

    /// Reads a payload for an identifier, and makes unknown fields errors.
    pub(crate) fn read_strictly(
        identifier: Result<SourceIdentifier, InvalidIdentifier>,
        payload: &str,
        by: Principal,
        new_id: PostingId,
    ) -> Result<Self, BodyError> {
        let mut read = Self::read(identifier, payload, by, new_id);
        if let Ok(Self { errors, .. }) | Err(BodyError::Invalid(errors)) = &mut read {
            body::refuse_unknown(payload, PostingPayload::KNOWN, errors);
        }
        read
    }

    /// Makes it a command of a catalogue that lists the posting. If the posting has expired, it
    /// comes back, unless the command expires it.
    #[must_use]
    pub(crate) fn listed_in(mut self, catalogue: CatalogueId) -> Self {
        self.catalogue = Some(catalogue);
        if self.patch.expiration == ExpirationPatch::Keep {
            self.patch.expiration = ExpirationPatch::Reopen;
        }
        self
    }
}
