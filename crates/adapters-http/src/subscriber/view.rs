//! A subscriber as an answer shows it. The token of its link is not in it.

use actix_web::{HttpResponse, http::StatusCode};
use domain::day;
use newsletter::subscriber::Subscriber;
use serde::Serialize;
use uuid::Uuid;

pub use self::schema::schemas;
use crate::{
    answer::{self, Timestamp},
    error::ApiError,
};

mod schema;

/// The answer with one subscriber.
pub fn one(status: StatusCode, subscriber: &Subscriber) -> Result<HttpResponse, ApiError> {
    let data = Record::new(subscriber);
    answer::json(status, &Envelope { data })
}

/// A subscriber: what that answer has under `data`, for others to print.
pub fn data(subscriber: &Subscriber) -> impl Serialize {
    Record::new(subscriber)
}

#[derive(Serialize)]
struct Envelope<'a> {
    data: Record<'a>,
}

#[derive(Serialize)]
struct Record<'a> {
    uuid: Uuid,
    email: &'a str,
    name: Option<&'a str>,
    country: Option<&'a str>,
    status: &'static str,
    membership_plan_category: &'static str,
    member_status: &'static str,
    membership_expire_at: Option<String>,
    mailerlite_account: &'static str,
    migrated_at: Option<Timestamp>,
    migration_source: Option<&'static str>,
}

impl<'a> Record<'a> {
    fn new(subscriber: &'a Subscriber) -> Self {
        let membership = subscriber.membership.as_ref();
        let migrated = subscriber.migrated.as_ref();
        Self {
            uuid: subscriber.id.uuid(),
            email: subscriber.email.as_str(),
            name: subscriber.name.as_deref(),
            country: subscriber.country.as_deref(),
            status: subscriber.status.as_str(),
            membership_plan_category: subscriber.membership_plan_category(),
            member_status: subscriber.member_status().as_str(),
            membership_expire_at: membership.and_then(|held| held.expires_at).map(day::write),
            mailerlite_account: subscriber.account().as_str(),
            migrated_at: migrated.map(|migrated| Timestamp(migrated.at)),
            migration_source: migrated.map(|migrated| migrated.source.as_str()),
        }
    }
}
