//! The command of the specification's one operation.

use fields::{
    Patch,
    body::{self, BodyError},
    validation::FieldErrors,
};
use kernel::{CatalogueId, InvalidIdentifier, PostingId, SourceIdentifier, trace::TraceParent};
use uuid::Uuid;

use super::{Notice, Payload, PostingPatch, Trigger, nearest::nearest};
use crate::authority::Principal;

/// Whether an earlier line of the import named the line's company, and so decides its name and
/// logo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NamedBefore {
    /// No earlier line named it.
    #[default]
    No,
    /// An earlier line named it, with the same name and logo.
    Alike,
    /// An earlier line named it, with another name or logo.
    Differently,
}

/// How unknown fields and wrong values are handled (RFC 7240).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Handling {
    /// Unknown fields are left out, and invalid values are refused.
    #[default]
    Usual,
    /// Unknown fields and invalid values are refused.
    Strict,
    /// Unknown fields and invalid values are left out, but invalid values whose meaning is certain
    /// are corrected.
    Lenient,
}

/// Create, update or expire a posting; [`decide`](crate::decision::decide) determines which.
#[derive(Clone, Debug)]
pub struct PutPosting {
    /// The posting's identifier.
    pub identifier: SourceIdentifier,
    /// The changes.
    pub patch: PostingPatch,
    /// The payload's own errors, and the unknown fields. They are reported together with the fields
    /// that a *new* posting lacks, because only the store knows whether the posting is new.
    pub errors: FieldErrors,
    /// Whether invalid optional values are left out.
    pub is_lenient: bool,
    pub(crate) notices: Vec<Notice>,
    /// The errors of ways to apply that were left out; reported if no way to apply remains.
    pub(crate) dropped: FieldErrors,
    /// The client that pushes.
    pub by: Principal,
    /// The catalogue that lists the posting, if any does.
    pub catalogue: Option<CatalogueId>,
    /// The import to which the line belongs.
    pub import: Option<Uuid>,
    /// Whether an earlier line sets the company's name and logo.
    pub company_named: NamedBefore,
    /// The id to use if the posting is new.
    pub new_id: PostingId,
    /// The request's trace, if any.
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
        Self::parse_as(segment, body, Handling::Usual, by, new_id)
    }

    /// Parses a request, with this handling of unknown fields and invalid values.
    pub fn parse_as(
        segment: &str,
        body: &[u8],
        handling: Handling,
        by: Principal,
        new_id: PostingId,
    ) -> Result<Self, BodyError> {
        let text = body::text(body)?;
        let mut payload = Payload::parse(text)?;
        if handling == Handling::Lenient {
            payload = payload.leniently(text)?;
        }
        let identifier = SourceIdentifier::from_path_segment(segment);
        Self::of(identifier, payload, handling, by, new_id)
    }

    pub(crate) fn of(
        identifier: Result<SourceIdentifier, InvalidIdentifier>,
        payload: Payload,
        handling: Handling,
        by: Principal,
        new_id: PostingId,
    ) -> Result<Self, BodyError> {
        let Payload {
            patch,
            mut errors,
            notices,
            dropped,
        } = payload;
        if handling == Handling::Strict {
            body::refuse_unknown_as(&mut errors, nearest);
        }
        match identifier {
            Ok(identifier) => Ok(Self {
                identifier,
                patch,
                errors,
                is_lenient: handling == Handling::Lenient,
                notices,
                dropped,
                by,
                catalogue: None,
                import: None,
                company_named: NamedBefore::No,
                new_id,
                trace: None,
            }),
            Err(error) => {
                errors.add(Self::IDENTIFIER, error.to_string());
                Err(BodyError::Invalid(errors))
            }
        }
    }

    pub(crate) fn trigger(&self) -> Option<Trigger> {
        if self.expires() {
            Some(Trigger::Expire)
        } else if self.patch.expiration != Patch::Clear {
            None
        } else if self.catalogue.is_some() {
            Some(Trigger::Relist)
        } else {
            Some(Trigger::Reopen)
        }
    }

    /// Whether it expires the posting. Also true if `expiration` is invalid: the push is then
    /// refused, and missing fields are not reported.
    pub fn expires(&self) -> bool {
        self.patch.expiration.value().is_some()
            || (!self.errors.is_empty() && self.errors.concern("expiration"))
    }

    /// Makes it a command of a catalogue that lists the posting. Such a command also asks to reopen
    /// the posting, unless the command itself expires the posting.
    #[must_use]
    pub(crate) fn listed_in(mut self, catalogue: CatalogueId) -> Self {
        self.catalogue = Some(catalogue);
        if !self.expires() {
            self.patch.expiration = Patch::Clear;
        }
        self
    }
}
