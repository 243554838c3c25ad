//! Sample pushes, as integrations in several countries might send them.
//!
//! Companies, people and offers are invented; addresses end in `.example` (RFC 2606), telephone
//! numbers are from ranges that regulators reserve for films.

mod continental;
mod english;
mod nordic;
mod unwanted;

use serde_json::{Value, json};

/// A push.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The unique source identifier.
    pub id: &'static str,
    /// The request body.
    pub payload: Value,
}

/// The sample that shows redaction best.
pub const REDACTED: &str = "lumenfold-17";

fn sample(id: &'static str, payload: Value) -> Sample {
    Sample { id, payload }
}

/// All pushes, in the order of sending. One posting is updated and one expired by a second push.
pub fn all() -> Vec<Sample> {
    let mut all = english::samples();
    all.extend(continental::samples());
    all.extend(nordic::samples());
    all.extend(unwanted::samples());
    all.push(sample(
        "harbourpine-3",
        json!({"salary_min": 34_000, "salary_max": 41_000, "title": "Furniture maker (oak and ash)"}),
    ));
    all.push(sample(
        "storwins/2",
        json!({"expiration": {"reason": "The post has been filled."}}),
    ));
    all
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashSet};

    use domain::{
        client::ClientId,
        posting::{PostingId, PutPosting},
    };
    use uuid::Uuid;

    use super::*;

    #[test]
    fn each_sample_is_refused_for_the_reason_it_is_there_for_or_not_at_all() {
        let mut refused = BTreeMap::new();
        for Sample { id, payload } in all() {
            let segment = id.replace('/', "%2F");
            let body = payload.to_string();
            let by = ClientId::new(Uuid::nil());
            let put = PutPosting::parse(&segment, body.as_bytes(), by, PostingId::new(Uuid::nil()));
            let put = put.unwrap();
            assert_eq!(put.identifier.as_str(), id);
            let fields: Vec<_> = put
                .errors
                .iter()
                .map(|(field, _)| field.to_owned())
                .collect();
            if !fields.is_empty() {
                refused.insert(id, fields.join(" "));
            }
        }
        let expect = [
            ("prohibited-field", "is_featured"),
            ("unknown-currency", "salary_currency_code"),
        ];
        assert_eq!(
            refused,
            expect.map(|(id, field)| (id, field.to_owned())).into()
        );
    }

    #[test]
    fn there_are_about_thirty_and_they_are_varied() {
        let all = all();
        let ids: BTreeSet<_> = all.iter().map(|sample| sample.id).collect();
        assert_eq!(ids.len(), all.len() - 2, "an update and an expiry");
        assert!((28..=34).contains(&ids.len()), "{}", ids.len());
        assert!(ids.contains(REDACTED));
        let values = |path: &str| -> HashSet<String> {
            all.iter()
                .filter_map(|sample| sample.payload.pointer(path))
                .map(Value::to_string)
                .collect()
        };
        assert!(values("/location_country_code").len() >= 7);
        assert!(values("/salary_period").len() == 4);
        let companies = values("/company/website_url").len();
        assert!(
            companies >= 10 && companies < ids.len() - 5,
            "some are shared: {companies}"
        );
    }

    #[test]
    fn nothing_leads_to_a_real_place() {
        for Sample { id, payload } in all() {
            let text = payload.to_string();
            for marker in ["https://", "http://", "@", "www."] {
                for (at, _) in text.match_indices(marker) {
                    let rest = &text[at + marker.len()..];
                    let end = rest.find(|c: char| !c.is_alphanumeric() && !"-.".contains(c));
                    let host = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
                    assert!(host.ends_with(".example"), "{id}: {host}");
                }
            }
        }
    }
}
