//! The JSON of requests.

use newsletter::subscriber::provider::Profile;
use serde::Serialize;
use time::{format_description::BorrowedFormatItem, macros::format_description};

/// `Y-m-d`.
const DATE: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// The body of an upsert, without `status` and `resubscribe`: either would activate an unsubscribed
/// person.
#[derive(Debug, Serialize)]
pub struct Upsert<'a> {
    email: &'a str,
    fields: Fields<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<[&'a str; 1]>,
}

/// The body of an update, without `status`, and without `groups`, which would remove the subscriber
/// from all others.
#[derive(Debug, Serialize)]
pub struct Update<'a> {
    fields: Fields<'a>,
}

/// The body that unsubscribes: the only status that is ever sent.
#[derive(Debug, Serialize)]
pub struct Unsubscribe {
    status: &'static str,
}

/// A subscriber's fields; `null` clears.
#[derive(Debug, Serialize)]
struct Fields<'a> {
    name: Option<&'a str>,
    country: Option<&'a str>,
    membership_plan_category: &'a str,
    member_status: &'a str,
    membership_expire_at: Option<String>,
}

impl<'a> Fields<'a> {
    fn new(profile: &'a Profile) -> Self {
        Self {
            name: profile.name.as_deref(),
            country: profile.country.as_deref(),
            membership_plan_category: profile.membership_plan_category,
            member_status: profile.member_status.as_str(),
            membership_expire_at: profile
                .membership_expire_at
                // A date has every component of the format, so this never fails.
                .and_then(|date| date.format(DATE).ok()),
        }
    }
}

impl<'a> Upsert<'a> {
    /// The fields, with an optional group to join.
    pub fn new(profile: &'a Profile, group: Option<&'a str>) -> Self {
        Self {
            email: profile.email.as_str(),
            fields: Fields::new(profile),
            groups: group.map(|group| [group]),
        }
    }
}

impl<'a> Update<'a> {
    /// The fields.
    pub fn new(profile: &'a Profile) -> Self {
        Self {
            fields: Fields::new(profile),
        }
    }
}

impl Unsubscribe {
    /// The only value.
    pub const NOW: Self = Self {
        status: "unsubscribed",
    };
}

/// Whether a text has the form of an id, so that it means nothing else in a path.
pub fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
