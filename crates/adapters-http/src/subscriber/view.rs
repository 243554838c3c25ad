//! The JSON form of subscribers in answers. The token of the link is never part of it.

use actix_web::{HttpResponse, http::StatusCode};
use kernel::day;
use newsletter::subscriber::{self, MemberStatus as Stands, PlanCategory};
use serde::Serialize;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema},
};
use uuid::Uuid;

use crate::{
    answer::{self, Timestamp},
    error::ApiError,
    schema::{one_of, vocabularies},
};

vocabularies! {
    /// Whether a person may get mail: the strongest status that the provider ever reported.
    SubscriberStatus(subscriber::SubscriberStatus);
    /// The status of a membership. A lapsed one and a renewed one cannot be distinguished.
    MemberStatus(subscriber::MemberStatus);
    /// An account at the e-mail provider.
    MailerliteAccount(subscriber::Account);
    /// Who started the person's move to the new account.
    MigrationSource(subscriber::MigrationSource);
}

/// The answer with one subscriber.
pub fn one(
    status: StatusCode,
    subscriber: &subscriber::Subscriber,
) -> Result<HttpResponse, ApiError> {
    answer::data(status, Subscriber::new(subscriber))
}

/// A subscriber, as `data` of the answer has it, for commands that print it.
pub fn data(subscriber: &subscriber::Subscriber) -> impl Serialize {
    Subscriber::new(subscriber)
}

/// A newsletter subscriber.
#[derive(Serialize, ToSchema)]
pub struct Subscriber<'a> {
    /// The subscriber's id in this service.
    uuid: Uuid,
    /// The address, in lower case.
    #[schema(format = "email")]
    email: &'a str,
    /// As reported, trimmed.
    name: Option<&'a str>,
    /// The country's name, as reported.
    country: Option<&'a str>,
    status: SubscriberStatus,
    membership_plan_category: MembershipPlanCategory,
    member_status: MemberStatus,
    /// The day until which the membership is paid for.
    #[schema(value_type = Option<Date>)]
    membership_expire_at: Option<String>,
    /// The account that the person is in.
    mailerlite_account: MailerliteAccount,
    /// When the person moved to the new account.
    #[schema(value_type = Option<OffsetDateTime>)]
    migrated_at: Option<Timestamp>,
    migration_source: Option<MigrationSource>,
}

/// The plan categories of the specification: those of memberships, and one for no membership.
#[derive(Serialize)]
struct MembershipPlanCategory(&'static str);

impl PartialSchema for MembershipPlanCategory {
    fn schema() -> RefOr<Schema> {
        let names = [PlanCategory::NAMES, &[Stands::NonMember.as_str()]].concat();
        one_of("Whose membership it is.", &names).into()
    }
}

impl ToSchema for MembershipPlanCategory {}

impl<'a> Subscriber<'a> {
    fn new(subscriber: &'a subscriber::Subscriber) -> Self {
        let membership = subscriber.membership.as_ref();
        let migrated = subscriber.migrated.as_ref();
        Self {
            uuid: subscriber.id.uuid(),
            email: subscriber.email.as_str(),
            name: subscriber.name.as_deref(),
            country: subscriber.country.as_deref(),
            status: SubscriberStatus(subscriber.status),
            membership_plan_category: MembershipPlanCategory(subscriber.membership_plan_category()),
            member_status: MemberStatus(subscriber.member_status()),
            membership_expire_at: membership.and_then(|held| held.expires_at).map(day::write),
            mailerlite_account: MailerliteAccount(subscriber.account()),
            migrated_at: migrated.map(|migrated| Timestamp(migrated.at)),
            migration_source: migrated.map(|migrated| MigrationSource(migrated.source)),
        }
    }
}
