//! Access tokens. An unsigned text is never accepted. A signed text is accepted only if an
//! independent second check finds all claims, with the values of this service.

#![no_main]

use std::sync::LazyLock;

use adapters_http::fuzz::Issuer;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use time::{OffsetDateTime, macros::datetime};

const NAME: &str = "https://jobs.example";
const NOW: OffsetDateTime = datetime!(2026-11-22 12:00 UTC);

static ISSUER: LazyLock<Issuer> = LazyLock::new(|| Issuer::new(NAME).expect("a key is made"));

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        assert!(ISSUER.verify(text, NOW).is_err(), "nobody signed it");
    }
    let token = ISSUER.sign(data).expect("it is signed");
    if let Ok(expires_at) = ISSUER.verify(&token, NOW) {
        let claims: Value = serde_json::from_slice(data).expect("they were read");
        assert_eq!(claims["iss"], NAME);
        assert!(
            claims["aud"] == NAME
                || claims["aud"].as_array().is_some_and(|all| {
                    all.iter().all(Value::is_string) && all.iter().any(|one| one == NAME)
                })
        );
        assert!(claims["sub"].is_string() && claims["sub"] == claims["client_id"]);
        assert_eq!(claims["exp"].as_i64(), Some(expires_at));
        assert!(expires_at > NOW.unix_timestamp());
        assert!(claims["iat"].is_i64() && claims["scope"].is_string());
        assert!(claims["jti"].as_str().is_some_and(|id| !id.is_empty()));
        assert!(claims.get("nbf").is_none_or(|nbf| {
            nbf.as_i64()
                .is_some_and(|start| start <= NOW.unix_timestamp())
        }));
    }
    let mut other = token.into_bytes();
    if let Some(first) = data.first() {
        let at = usize::from(*first) % other.len();
        other[at] ^= 1;
        if let Ok(other) = String::from_utf8(other) {
            assert!(ISSUER.verify(&other, NOW).is_err(), "{other}");
        }
    }
});
