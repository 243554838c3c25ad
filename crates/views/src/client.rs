use std::{collections::BTreeMap, num::NonZeroU32};

use access::{
    Activity, Client, Scope, StoredSecret,
    activity::{self, Day},
    interval_text,
};
use domain::posting::{Details, RemarkCode};
use fields::day;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{json::Timestamp, view};

#[derive(Serialize, ToSchema)]
#[schema(as = IntegrationLinkData)]
pub struct Link {
    /// The link, for one browser.
    #[schema(format = "uri")]
    pub url: String,
    /// When the link expires.
    #[schema(value_type = OffsetDateTime)]
    pub expires_at: Timestamp,
}

view! {
    /// A client as operators see it: with its times and the times of its secrets.
    #[derive(Serialize)]
    pub struct ClientOfOperator<'a>(client: &'a Client, activity: &'a Activity) {
        #[serde(flatten)]
        integration: Integration<'a> = Integration::new(client, activity),
        secrets: Vec<Secret> = client.secrets.iter().map(Secret::new).collect(),
        created_at: Timestamp = Timestamp(client.created_at),
        revoked_at: Option<Timestamp> = client.revoked_at.map(Timestamp),
    }
}

view! {
    /// The times of a secret.
    #[derive(Serialize)]
    struct Secret(secret: &StoredSecret) {
        #[serde(rename = "created_at")]
        created: Timestamp = Timestamp(secret.created_at),
        #[serde(rename = "expires_at")]
        expires: Option<Timestamp> = secret.expires_at.map(Timestamp),
        #[serde(rename = "last_used_at")]
        last_used: Option<Timestamp> = secret.last_used_at.map(Timestamp),
    }
}

view! {
    /// A client, and the results of its pushes. Counts may lag by ten seconds.
    #[derive(Serialize, ToSchema)]
    pub struct Integration<'a>(client: &'a Client, activity: &'a Activity) {
        /// The client's id.
        client_id: Uuid = client.id.uuid(),
        /// The client's name.
        name: &'a str = &client.name,
        /// The scopes that the client may request. A scope of a token has effect only while the
        /// client has it.
        scopes: Vec<&'static str> = client.scopes.iter().copied().map(Scope::as_str).collect(),
        /// The prefixes of identifiers that the client may use; all identifiers if there are none.
        prefixes: &'a [String] = client.prefixes.as_slice(),
        /// The number of requests that each process accepts from the client in a minute, if
        /// limited.
        #[schema(value_type = Option<u32>, minimum = 1)]
        requests_per_minute: Option<NonZeroU32> = client.requests_per_minute,
        /// How often the client is expected to push, such as `1d`; `null` if its usual interval
        /// counts.
        expect_every: Option<String> = client.expect_every.map(interval_text),
        /// The number of the client's approved postings about a minute ago.
        visible: u64 = activity.visible,
        /// When the client last pushed; refused pushes count.
        #[schema(value_type = Option<OffsetDateTime>)]
        last_push_at: Option<Timestamp> = activity.last_push_at.map(Timestamp),
        /// The last 30 days (UTC) with activity, newest first.
        days: Vec<DayOfIntegration> = activity.days.iter().map(DayOfIntegration::new).collect(),
        /// The last 50 refusals, newest first; at most 10 of one import.
        refusals: Vec<Refusal<'a>> = activity.refusals.iter().map(Refusal::new).collect(),
    }
}

view! {
    /// The activity of a day.
    #[derive(Serialize, ToSchema)]
    struct DayOfIntegration(of: &Day) {
        /// The day (UTC).
        #[schema(format = Date)]
        date: String = day::write(of.date),
        /// Postings that the client created.
        created: u64 = of.counts.created,
        /// Pushes that updated a posting or its company.
        updated: u64 = of.counts.updated,
        /// Pushes that changed nothing.
        unchanged: u64 = of.counts.unchanged,
        /// Postings that the client expired.
        expired: u64 = of.counts.expired,
        /// Postings that the client reopened.
        reopened: u64 = of.counts.reopened,
        /// Pushes that were refused.
        refused: u64 = of.counts.refused,
        /// Postings that the client created and that were approved.
        approved: u64 = of.counts.approved,
        /// Postings that the client created and that were rejected.
        rejected: u64 = of.counts.rejected,
        /// The remarks on the postings that the client created, by code; codes without remarks are
        /// absent.
        remarks: BTreeMap<&'static str, u64> = of.counts.remarks.named(RemarkCode::NAMES).collect(),
        /// For each optional field, the share (0 to 1) of pushed postings that have it. Fields that
        /// no posting has are absent. Refused pushes do not count.
        fields: BTreeMap<&'static str, f64> = filled(of),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share for people")]
fn filled(of: &Day) -> BTreeMap<&'static str, f64> {
    let pushed = of.counts.accepted().max(1) as f64;
    let fields = of.counts.fields.named(Details::OPTIONAL_FIELDS);
    fields
        .map(|(field, count)| (field, (count as f64 / pushed * 1_000.0).round() / 1_000.0))
        .collect()
}

view! {
    /// A refused push, or lines of one import that were refused for the same reason; the first line
    /// describes all. Long texts and long lists of errors are cut.
    #[derive(Serialize, ToSchema)]
    struct Refusal<'a>(refusal: &'a activity::Refusal) {
        /// When the push was refused.
        #[schema(value_type = OffsetDateTime)]
        at: Timestamp = Timestamp(refusal.at),
        /// The identifier in the path, decoded as far as it can be shown.
        unique_source_identifier: &'a str = &refusal.identifier,
        /// The status of the answer.
        #[schema(minimum = 400, maximum = 499)]
        status: u16 = refusal.status,
        /// The message of the answer.
        message: &'a str = &refusal.message,
        /// The errors of each field, by path; `null` if fields were not the reason.
        errors: Option<&'a BTreeMap<String, Vec<String>>> =
            (!refusal.errors.is_empty()).then_some(&refusal.errors),
        /// The id of the request, as in `X-Request-Id`.
        request_id: Option<&'a str> = refusal.request_id.as_deref(),
        /// The number of lines refused for this reason; 1 for a single push.
        #[schema(minimum = 1)]
        count: u64 = refusal.count,
        /// Identifiers of some of the other lines refused for this reason.
        others: &'a [String] = &refusal.others,
    }
}

#[cfg(test)]
mod tests {
    use access::activity::{Counts, Tally};
    use fields::validation::FieldErrors;
    use kernel::{
        Prefixes,
        testing::{hours, noon, uuid},
    };
    use serde_json::json;

    use super::*;

    #[test]
    fn a_client_is_shown_with_its_activity() {
        let mut client = access::testing::client(1);
        client.prefixes = Prefixes::new(&["acme-"]).unwrap();
        client.requests_per_minute = NonZeroU32::new(60);
        client.expect_every = Some(hours(24));
        client.secrets[0].last_used_at = Some(noon());
        let errors = FieldErrors::one("title", "is required");
        let refusal = |status, errors| activity::Refusal {
            request_id: Some("request-1".to_owned()),
            count: 3,
            others: vec!["acme-2".to_owned(), "acme-3".to_owned()],
            ..activity::Refusal::new(uuid(9), noon(), "acme-1", status, "No.", errors)
        };
        let activity = Activity {
            last_push_at: Some(noon() + hours(1)),
            visible: 7,
            held: 0,
            days: vec![Day {
                date: noon().date(),
                counts: Counts {
                    created: 1,
                    updated: 2,
                    unchanged: 3,
                    expired: 4,
                    reopened: 5,
                    refused: 6,
                    approved: 7,
                    rejected: 8,
                    fields: Tally::of_bits(0b1),
                    remarks: Tally::of_bits(0b10),
                    ..Counts::default()
                },
            }],
            refusals: vec![refusal(422, Some(&errors)), refusal(404, None)],
        };
        let shown = |status, errors| {
            json!({"at": "2026-03-01T12:00:00.123456Z", "unique_source_identifier": "acme-1",
                "status": status, "message": "No.", "errors": errors,
                "request_id": "request-1", "count": 3, "others": ["acme-2", "acme-3"]})
        };
        let mut expect = json!({
            "client_id": uuid(1), "name": "Client 1",
            "scopes": ["job-postings:write", "job-postings:read"], "prefixes": ["acme-"],
            "requests_per_minute": 60, "expect_every": "1d", "visible": 7, "last_push_at": "2026-03-01T13:00:00.123456Z",
            "days": [{"date": "2026-03-01", "created": 1, "updated": 2, "unchanged": 3,
                "expired": 4, "reopened": 5, "refused": 6, "approved": 7, "rejected": 8,
                "fields": {"employment_types": 0.067}, "remarks": {"pay_range_wide": 1}}],
            "refusals": [
                shown(422, json!({"title": ["is required"]})),
                shown(404, json!(null)),
            ],
        });
        let shown = serde_json::to_value(Integration::new(&client, &activity)).unwrap();
        assert_eq!(shown, expect);

        let times = json!({
            "secrets": [{"created_at": "2026-03-01T12:00:00.123456Z", "expires_at": null,
                "last_used_at": "2026-03-01T12:00:00.123456Z"}],
            "created_at": "2026-03-01T12:01:00.123456Z", "revoked_at": null,
        });
        let all = expect.as_object_mut().unwrap();
        all.extend(times.as_object().unwrap().clone());
        let printed = serde_json::to_value(ClientOfOperator::new(&client, &activity)).unwrap();
        assert_eq!(printed, expect);
    }
}
