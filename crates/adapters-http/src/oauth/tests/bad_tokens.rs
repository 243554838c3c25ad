//! Tokens that must not be accepted, each forged in one respect.

use std::fmt::Write as _;

use ::ring::{hmac, rand::SystemRandom};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::json;

use super::{
    TokenFault::{Audience, Claims, Expired, Kind, Malformed, NotYet, Signature, UnknownKey},
    *,
};

fn encoded(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

/// Makes tokens like the service's own, and others.
struct Forge {
    key: Arc<Key>,
    client: ClientId,
}

impl Forge {
    fn header(&self) -> Value {
        json!({ "alg": "ES256", "typ": "at+jwt", "kid": self.key.id().to_string() })
    }

    fn claims(&self) -> Value {
        json!({
            "iss": ISSUER,
            "aud": ISSUER,
            "sub": self.client.to_string(),
            "client_id": self.client.to_string(),
            "scope": "job-postings:write",
            "iat": START,
            "exp": START + 60,
            "jti": "one",
        })
    }

    fn sign(&self, header: &str, claims: &str) -> String {
        let mut token = format!("{}.{}", encoded(header), encoded(claims));
        let signature = self
            .key
            .sign(&SystemRandom::new(), token.as_bytes())
            .unwrap();
        write!(token, ".{}", URL_SAFE_NO_PAD.encode(signature)).unwrap();
        token
    }

    fn token(&self) -> String {
        self.sign(&self.header().to_string(), &self.claims().to_string())
    }

    fn with_header(&self, name: &str, value: Value) -> String {
        let header = changed(self.header(), name, value);
        self.sign(&header.to_string(), &self.claims().to_string())
    }

    fn with_claim(&self, name: &str, value: Value) -> String {
        let claims = changed(self.claims(), name, value);
        self.sign(&self.header().to_string(), &claims.to_string())
    }
}

/// A member set; or removed, by `null`.
fn changed(mut object: Value, name: &str, value: Value) -> Value {
    let members = object.as_object_mut().unwrap();
    if value.is_null() {
        members.remove(name);
    } else {
        members.insert(name.to_owned(), value);
    }
    object
}

async fn forge(harness: &Harness) -> Forge {
    let (client, _) = harness.client(&[Scope::JobPostingsWrite]).await;
    Forge {
        key: Arc::clone(&harness.folder.list().unwrap().keys()[0]),
        client,
    }
}

async fn outcome(harness: &Harness, token: &str) -> Result<ClientId, AuthError> {
    harness
        .authorizer
        .authorize(&bearer(token), &[Scope::JobPostingsWrite])
        .await
}

#[actix_web::test]
async fn none_is_accepted() {
    let harness = Harness::new();
    let forge = forge(&harness).await;
    let good = forge.token();
    let parts: Vec<&str> = good.split('.').collect();
    let (header, claims, signature) = (parts[0], parts[1], parts[2]);
    let none = json!({ "alg": "none", "typ": "at+jwt", "kid": forge.key.id().to_string() });
    let (x, y) = forge.key.coordinates().unwrap();
    let public = [&[4], x, y].concat();
    let mut hs256 = format!(
        "{}.{claims}",
        encoded(&changed(forge.header(), "alg", "HS256".into()).to_string())
    );
    let tag = hmac::sign(
        &hmac::Key::new(hmac::HMAC_SHA256, &public),
        hs256.as_bytes(),
    );
    write!(hs256, ".{}", URL_SAFE_NO_PAD.encode(tag)).unwrap();
    let strangers = tempfile::tempdir().unwrap();
    let folder = KeyFolder::new(strangers.path());
    folder.generate(forge.key.id()).unwrap();
    folder.generate(key_id(at(-60), 9)).unwrap();
    let strangers = folder.list().unwrap();
    let stranger = |n: usize| Forge {
        key: Arc::clone(&strangers.keys()[n]),
        client: forge.client,
    };
    let spliced = forge.with_claim("scope", "job-postings:read".into());
    let duplicate = |text: Value, name: &str| {
        let text = text.to_string();
        let value = serde_json::from_str::<Value>(&text).unwrap()[name].clone();
        format!("{},\"{name}\":{value}}}", text.strip_suffix('}').unwrap())
    };
    let header_json = forge.header().to_string();
    let claims_json = forge.claims().to_string();

    let headed = |header: &str| format!("{}.{claims}.{signature}", encoded(header));
    let cases: Vec<(&str, String, TokenFault)> = vec![
        ("empty", String::new(), Malformed),
        ("one part", "abc".to_owned(), Malformed),
        ("two parts", format!("{header}.{claims}"), Malformed),
        ("four parts", format!("{good}.{signature}"), Malformed),
        ("five parts, encrypted", "a.b.c.d.e".to_owned(), Malformed),
        ("empty parts", "..".to_owned(), Malformed),
        ("padded", format!("{good}=="), Malformed),
        (
            "not base64url",
            good.replace('_', "/").replace('-', "+") + "+",
            Malformed,
        ),
        ("header not JSON", headed("nope"), Malformed),
        ("header a list", headed("[]"), Malformed),
        ("header nested deep", headed(&"[".repeat(4000)), Malformed),
        (
            "too long",
            forge.with_claim("jti", "x".repeat(8 * 1024).into()),
            Malformed,
        ),
        (
            "claims not JSON",
            forge.sign(&header_json, "nope"),
            Malformed,
        ),
        (
            "claims a text",
            forge.sign(&header_json, "\"nope\""),
            Malformed,
        ),
        (
            "a duplicate claim",
            forge.sign(&header_json, &duplicate(forge.claims(), "exp")),
            Malformed,
        ),
        (
            "a duplicate header",
            forge.sign(&duplicate(forge.header(), "alg"), &claims_json),
            Malformed,
        ),
        (
            "alg none without signature",
            format!("{}.{claims}.", encoded(&none.to_string())),
            Kind,
        ),
        (
            "alg none with signature",
            forge.with_header("alg", "none".into()),
            Kind,
        ),
        ("alg missing", forge.with_header("alg", Value::Null), Kind),
        (
            "alg in lower case",
            forge.with_header("alg", "es256".into()),
            Kind,
        ),
        ("alg ES384", forge.with_header("alg", "ES384".into()), Kind),
        ("alg HS256 over the public key", hs256, Kind),
        ("typ JWT", forge.with_header("typ", "JWT".into()), Kind),
        ("typ missing", forge.with_header("typ", Value::Null), Kind),
        ("crit", forge.with_header("crit", json!(["exp"])), Kind),
        ("empty crit", forge.with_header("crit", json!([])), Kind),
        (
            "kid missing",
            forge.with_header("kid", Value::Null),
            UnknownKey,
        ),
        (
            "kid no UUID",
            forge.with_header("kid", "../keys".into()),
            UnknownKey,
        ),
        (
            "kid of another spelling",
            forge.with_header("kid", forge.key.id().to_string().to_uppercase().into()),
            UnknownKey,
        ),
        ("key of a stranger", stranger(0).token(), UnknownKey),
        (
            "key of a stranger under our kid",
            stranger(1).token(),
            Signature,
        ),
        (
            "signature missing",
            format!("{header}.{claims}."),
            Signature,
        ),
        (
            "signature of another token",
            format!("{header}.{claims}.{}", spliced.rsplit_once('.').unwrap().1),
            Signature,
        ),
        (
            "claims of another token",
            format!(
                "{header}.{}.{signature}",
                spliced.split('.').nth(1).unwrap()
            ),
            Signature,
        ),
        (
            "signature cut",
            format!("{header}.{claims}.{}", &signature[..signature.len() - 2]),
            Signature,
        ),
        (
            "signature all zero",
            format!("{header}.{claims}.{}", URL_SAFE_NO_PAD.encode([0; 64])),
            Signature,
        ),
        (
            "iss missing",
            forge.with_claim("iss", Value::Null),
            Audience,
        ),
        (
            "iss of another",
            forge.with_claim("iss", "https://evil.example".into()),
            Audience,
        ),
        (
            "iss with a slash",
            forge.with_claim("iss", format!("{ISSUER}/").into()),
            Audience,
        ),
        (
            "aud missing",
            forge.with_claim("aud", Value::Null),
            Audience,
        ),
        (
            "aud of another",
            forge.with_claim("aud", "https://evil.example".into()),
            Audience,
        ),
        (
            "aud list without us",
            forge.with_claim("aud", json!(["https://evil.example"])),
            Audience,
        ),
        (
            "aud empty list",
            forge.with_claim("aud", json!([])),
            Audience,
        ),
        (
            "aud mixed list",
            forge.with_claim("aud", json!([ISSUER, 1])),
            Audience,
        ),
        ("exp missing", forge.with_claim("exp", Value::Null), Claims),
        (
            "exp a text",
            forge.with_claim("exp", (START + 60).to_string().into()),
            Claims,
        ),
        (
            "exp a fraction",
            forge.with_claim("exp", json!(1.5e18)),
            Claims,
        ),
        (
            "exp too large",
            forge.with_claim("exp", json!(u64::MAX)),
            Claims,
        ),
        (
            "exp passed",
            forge.with_claim("exp", (START - 1).into()),
            Expired,
        ),
        ("exp now", forge.with_claim("exp", START.into()), Expired),
        (
            "exp long ago",
            forge.with_claim("exp", i64::MIN.into()),
            Expired,
        ),
        (
            "nbf ahead",
            forge.with_claim("nbf", (START + 1).into()),
            NotYet,
        ),
        ("nbf a text", forge.with_claim("nbf", "now".into()), Claims),
        ("iat missing", forge.with_claim("iat", Value::Null), Claims),
        ("iat a text", forge.with_claim("iat", "now".into()), Claims),
        ("jti missing", forge.with_claim("jti", Value::Null), Claims),
        ("jti empty", forge.with_claim("jti", "".into()), Claims),
        (
            "client_id missing",
            forge.with_claim("client_id", Value::Null),
            Claims,
        ),
        (
            "client_id of another",
            forge.with_claim("client_id", Uuid::nil().to_string().into()),
            Claims,
        ),
        ("sub missing", forge.with_claim("sub", Value::Null), Claims),
        (
            "sub of another",
            forge.with_claim("sub", Uuid::nil().to_string().into()),
            Claims,
        ),
        (
            "scope missing",
            forge.with_claim("scope", Value::Null),
            Claims,
        ),
        (
            "scope a list",
            forge.with_claim("scope", json!(["job-postings:write"])),
            Claims,
        ),
    ];
    for (name, token, fault) in cases {
        assert_eq!(
            outcome(&harness, &token).await,
            Err(AuthError::Invalid(fault)),
            "{name}"
        );
    }
    assert_eq!(
        outcome(&harness, &good).await,
        Ok(forge.client),
        "the forge itself is right"
    );
}

#[actix_web::test]
async fn every_flipped_bit_is_noticed() {
    let harness = Harness::new();
    let good = forge(&harness).await.token();
    for position in 0..good.len() {
        let mut bytes = good.clone().into_bytes();
        bytes[position] ^= 1;
        let token = String::from_utf8(bytes).unwrap();
        let outcome = outcome(&harness, &token).await;
        assert!(
            matches!(outcome, Err(AuthError::Invalid(_))),
            "byte {position}: {outcome:?}"
        );
    }
}

#[actix_web::test]
async fn what_rfc_9068_allows_is_accepted() {
    let harness = Harness::new();
    let forge = forge(&harness).await;
    for token in [
        forge.with_header("typ", "AT+JWT".into()),
        forge.with_header("typ", "application/at+jwt".into()),
        forge.with_header("jku", "https://evil.example/keys".into()),
        forge.with_claim("aud", json!(["https://other.example", ISSUER])),
        forge.with_claim("scope", "job-postings:write something:new".into()),
        forge.with_claim("exp", i64::MAX.into()),
        forge.with_claim("more", json!({ "than": "needed" })),
    ] {
        assert_eq!(outcome(&harness, &token).await, Ok(forge.client));
    }
}

#[actix_web::test]
async fn a_good_token_with_unknown_scopes_alone_opens_nothing() {
    let harness = Harness::new();
    let forge = forge(&harness).await;
    for scope in ["", "everything"] {
        let outcome = outcome(&harness, &forge.with_claim("scope", scope.into())).await;
        assert_eq!(
            outcome,
            Err(AuthError::InsufficientScope(vec![Scope::JobPostingsWrite]))
        );
    }
}
