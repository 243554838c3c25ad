//! The checks that only a posting's payload needs, in the form that garde calls.
#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "garde passes every field and its context by reference"
)]

use kernel::{
    Website,
    checks::Check,
    email,
    field::{Field, Line, Presence, Shape},
    website::{InvalidWebUrl, check_logo_path, check_web_url},
};

use super::{limits, metadata::MetadataField};

/// A company's website as sent, and parsed: once, because every push has one.
#[derive(Clone, Debug)]
pub(super) struct SentWebsite {
    line: Line,
    pub(super) website: Result<Website, InvalidWebUrl>,
}

impl Shape<'_> for SentWebsite {
    const EXPECTED: &'static str = <Line as Shape<'_>>::EXPECTED;

    fn string(text: &str) -> Field<Self> {
        Line::string(text).map(|line| Self {
            website: Website::parse(line.as_ref()),
            line,
        })
    }
}

impl AsRef<str> for SentWebsite {
    fn as_ref(&self) -> &str {
        self.line.as_ref()
    }
}

impl Check for SentWebsite {
    fn problem(&self) -> Option<String> {
        self.line.problem()
    }
}

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
pub(super) fn website(field: &Field<SentWebsite>, (): &()) -> garde::Result {
    const LONGEST: usize = limits::COMPANY_WEBSITE_URL;
    let Field::Value(SentWebsite { line, website }) = field else {
        return Ok(());
    };
    let normal = website.as_ref().map_err(garde::Error::new)?.as_str();
    if normal.len() <= LONGEST {
        return Ok(());
    }
    let length = normal.chars().count();
    if length > LONGEST && line.as_ref().chars().count() <= LONGEST {
        return Err(garde::Error::new(format!(
            "must be at most {LONGEST} characters long when it is percent-encoded, and has \
             {length} then"
        )));
    }
    Ok(())
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
