//! Sample pushes, as integrations in different countries might send them.
//!
//! Companies, people and offers are invented; addresses end in `.example` (RFC 2606), telephone
//! numbers are from ranges that regulators keep free for films.

use serde::Deserialize;
use serde_json::Value;

/// The pushes in order, in the file format of `posthaste push`. Some are refused or rejected; one
/// posting is updated and one expired by a second push.
pub const LINES: &str = include_str!("samples.ndjson");

pub const REDACTED: &str = "lumenfold-17";

#[derive(Clone, Debug, Deserialize)]
pub struct Sample {
    pub id: String,
    pub payload: Value,
}

pub fn read(lines: &str) -> serde_json::Result<Vec<Sample>> {
    lines.lines().map(serde_json::from_str).collect()
}

pub fn line(id: &str) -> Option<&'static str> {
    let start = format!("{{\"id\":\"{id}\",");
    LINES.lines().find(|line| line.starts_with(&start))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use domain::{authority::Principal, posting::PutPosting};
    use kernel::{ClientId, PostingId};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn each_sample_is_refused_for_the_reason_it_is_there_for_or_not_at_all() {
        let mut refused = BTreeMap::new();
        for Sample { id, payload } in read(LINES).unwrap() {
            let segment = id.replace('/', "%2F");
            let body = payload.to_string();
            let by = Principal::unfenced(ClientId::new(Uuid::nil()));
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
            expect
                .map(|(id, field)| (id.to_owned(), field.to_owned()))
                .into()
        );
    }

    #[test]
    fn nothing_leads_to_a_real_place() {
        for Sample { id, payload } in read(LINES).unwrap() {
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
