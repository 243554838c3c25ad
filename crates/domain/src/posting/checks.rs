//! The checks that only a posting's payload needs, in the form that garde calls.
#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "garde passes every field and its context by reference"
)]

use garde::rules::email::parse_email;

use super::payload::MetadataField;
use crate::{
    company::check_web_url,
    field::{Field, Line, Presence},
};

pub(super) fn not_sent(sent: &Presence, (): &()) -> garde::Result {
    if sent.0 {
        Err(garde::Error::new(
            "is set by the service and must not be sent",
        ))
    } else {
        Ok(())
    }
}

pub(super) fn object(field: &MetadataField, (): &()) -> garde::Result {
    match &field.0 {
        Field::Value(Err(error)) => Err(garde::Error::new(error)),
        _ => Ok(()),
    }
}

pub(super) fn email(field: &Field<Line>, (): &()) -> garde::Result {
    match field {
        Field::Value(Line(text)) => {
            parse_email(text).map_err(|_| garde::Error::new("must be a valid e-mail address"))
        }
        _ => Ok(()),
    }
}

pub(super) fn web_url(field: &Field<Line>, (): &()) -> garde::Result {
    match field {
        Field::Value(Line(text)) => check_web_url(text).map_err(garde::Error::new),
        _ => Ok(()),
    }
}
