//! The JSON that is sent.

use newsletter::subscriber::provider::Profile;
use serde::Serialize;
use time::{format_description::BorrowedFormatItem, macros::format_description};

/// `Y-m-d`.
const DATE: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// The body of an upsert. There is no `status` and no `resubscribe` in it on purpose: either
/// would make somebody active who wants no more.
#[derive(Debug, Serialize)]
pub struct Upsert<'a> {
    email: &'a str,
    fields: Fields<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<[&'a str; 1]>,
}

/// The body of an update of somebody who is there. Nor is there a `status` in it; and there are
/// no `groups`, which would take the person out of all others.
#[derive(Debug, Serialize)]
pub struct Update<'a> {
    fields: Fields<'a>,
}

/// The body that unsubscribes somebody: the only status that is ever sent.
#[derive(Debug, Serialize)]
pub struct Unsubscribe {
    status: &'static str,
}

/// The fields of a person; `null` clears.
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
                // A date has all that the format names, so this never fails.
                .and_then(|date| date.format(DATE).ok()),
        }
    }
}

impl<'a> Upsert<'a> {
    /// Tells what a person is like, and of a group that they are to join.
    pub fn new(profile: &'a Profile, group: Option<&'a str>) -> Self {
        Self {
            email: profile.email.as_str(),
            fields: Fields::new(profile),
            groups: group.map(|group| [group]),
        }
    }
}

impl<'a> Update<'a> {
    /// Tells what a person is like.
    pub fn new(profile: &'a Profile) -> Self {
        Self {
            fields: Fields::new(profile),
        }
    }
}

impl Unsubscribe {
    /// The one that there is.
    pub const NOW: Self = Self {
        status: "unsubscribed",
    };
}

/// Whether a text can be an id: in a path it must not mean anything else.
pub fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
