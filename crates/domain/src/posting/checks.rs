//! The checks that only a posting's payload needs, in the form that garde calls.
#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "garde passes every field and its context by reference"
)]

use super::{limits, metadata::MetadataField};
use crate::{
    company::{Website, check_logo_path, check_web_url},
    email,
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

/// Stricter than the rule for subscribers: applicants must be able to reach this address, while a
/// subscriber's may be one that an account already holds.
pub(super) fn email(field: &Field<Line>, (): &()) -> garde::Result {
    line(field, |text| {
        email::parts(text)
            .filter(email::Parts::is_dot_string)
            .map(|_| ())
            .ok_or("must be a valid e-mail address")
    })
}

pub(super) fn web_url(field: &Field<Line>, (): &()) -> garde::Result {
    line(field, check_web_url)
}

/// The normal form is stored and shown, so it must keep the limit too, and can be sent back.
pub(super) fn website(field: &Field<Line>, (): &()) -> garde::Result {
    const LONGEST: usize = limits::COMPANY_WEBSITE_URL;
    line(field, |text| {
        // At most, each character of ASCII becomes three.
        if text.is_ascii() && text.len() <= LONGEST / 3 {
            return check_web_url(text).map_err(|error| error.to_string());
        }
        let website = Website::parse(text).map_err(|error| error.to_string())?;
        let length = website.as_str().chars().count();
        if length > LONGEST && text.chars().count() <= LONGEST {
            return Err(format!(
                "must be at most {LONGEST} characters long when it is percent-encoded, \
                 and has {length} then"
            ));
        }
        Ok(())
    })
}

pub(super) fn logo(field: &Field<Line>, (): &()) -> garde::Result {
    line(field, check_logo_path)
}

fn line<E: ToString>(
    field: &Field<Line>,
    check: impl FnOnce(&str) -> Result<(), E>,
) -> garde::Result {
    match field {
        Field::Value(Line(text)) => {
            check(text).map_err(|error| garde::Error::new(error.to_string()))
        }
        _ => Ok(()),
    }
}
