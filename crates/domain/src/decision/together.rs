//! The rules across the fields of a posting, and the rules about a field and the present time.

use fields::{
    DayOrTime,
    validation::{FieldErrors, Rule},
};
use time::{Duration, OffsetDateTime};

use crate::posting::{Details, Notice, PostingPatch, PutPosting};

/// Checks the rules across fields and about the time, after a push to `details`. A lenient push
/// leaves out a salary range or a publication date that breaks a rule.
pub(super) fn check(
    details: &mut Details,
    stored: &Details,
    put: &PutPosting,
    now: OffsetDateTime,
    errors: &mut FieldErrors,
) -> Vec<Notice> {
    let mut left_out = Vec::new();
    if put.is_lenient {
        let mut leave = |field: &str, is_sent: bool| {
            left_out.extend(is_sent.then(|| Notice::LeftOut(field.into())));
        };
        if is_swapped(details) {
            leave("salary_min", put.patch.salary_min.value().is_some());
            leave("salary_max", put.patch.salary_max.value().is_some());
            (details.salary_min, details.salary_max) = (stored.salary_min, stored.salary_max);
        }
        if is_in_future(&put.patch, now) {
            leave("date_posted", true);
            details.date_posted = stored.date_posted;
        }
        if details.application_email.is_none() && details.application_url.is_none() {
            errors.merge(put.dropped.clone());
        }
    } else if is_in_future(&put.patch, now) {
        errors.add("date_posted", "must not be in the future");
    }
    check_together(details, errors);
    left_out
}

fn is_swapped(details: &Details) -> bool {
    let ends = details.salary_min.zip(details.salary_max);
    ends.is_some_and(|(min, max)| max < min)
}

/// Whether `date_posted` is in the future. A day begins in the first time zone 14 hours before it
/// begins in UTC.
fn is_in_future(patch: &PostingPatch, now: OffsetDateTime) -> bool {
    patch.date_posted.value().is_some_and(|date| {
        let ahead = match date {
            DayOrTime::Day(_) => Duration::hours(14),
            DayOrTime::Time(_) => Duration::ZERO,
        };
        date.start() > now.saturating_add(ahead)
    })
}

/// Checks the rules across fields. Skips a rule if one of its fields is invalid.
fn check_together(details: &Details, errors: &mut FieldErrors) {
    if let Some(min) = details.salary_min
        && is_swapped(details)
        && !errors.concern("salary_min")
        && !errors.concern("salary_max")
    {
        errors.add_as(
            Rule::Together,
            "salary_max",
            format!("must be at least salary_min, which is {min}"),
        );
    }
    if details.application_email.is_none()
        && details.application_url.is_none()
        && !errors.concern("application_email")
        && !errors.concern("application_url")
    {
        for (field, other) in [
            ("application_email", "application_url"),
            ("application_url", "application_email"),
        ] {
            let why = format!("is required when there is no {other}");
            errors.add_as(Rule::Together, field, why);
        }
    }
}
