use std::fmt::Display;

use ::ring::{hmac, rand::SystemRandom};
use access::Scope;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use kernel::ClientId;
use serde_json::{Value, json};

use super::{
    TokenFault::{Audience, Claims, Expired, Kind, Malformed, NotYet, Signature, UnknownKey},
    *,
};

const ISSUER: &str = "https://jobs.example";

fn encoded(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

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
        let token = format!("{}.{}", encoded(header), encoded(claims));
        let signature = self.key.sign(&SystemRandom::new(), token.as_bytes());
        format!("{token}.{}", URL_SAFE_NO_PAD.encode(signature.unwrap()))
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

fn changed(mut object: Value, name: &str, value: Value) -> Value {
    let members = object.as_object_mut().unwrap();
    if value.is_null() {
        members.remove(name);
    } else {
        members.insert(name.to_owned(), value);
    }
    object
}

struct Harness {
    tokens: Tokens,
    keys: KeySet,
    forge: Forge,
    _directory: TempDir,
}

impl Harness {
    fn new() -> Self {
        let (directory, folder) = folder();
        folder.generate(key_id(at(0), 0)).unwrap();
        let keys = folder.list().unwrap();
        let forge = Forge {
            key: Arc::clone(&keys.keys()[0]),
            client: ClientId::new(Uuid::from_u128(1)),
        };
        Self {
            tokens: Tokens::new(ISSUER.to_owned()),
            keys,
            forge,
            _directory: directory,
        }
    }

    fn verify(&self, token: &str) -> Result<Arc<VerifiedToken>, TokenFault> {
        self.tokens.verify(token, &self.keys, at(0))
    }

    fn outcome(&self, token: &str) -> Result<ClientId, TokenFault> {
        self.verify(token).map(|token| token.client_id)
    }
}

fn parts(token: &str) -> [&str; 3] {
    let parts: Vec<&str> = token.split('.').collect();
    parts.try_into().unwrap()
}

impl Harness {
    fn check<N: Display>(&self, fault: TokenFault, tokens: impl IntoIterator<Item = (N, String)>) {
        for (name, token) in tokens {
            assert_eq!(self.outcome(&token), Err(fault), "{name}");
        }
        let good = self.outcome(&self.forge.token());
        assert_eq!(good, Ok(self.forge.client), "the forge itself is right");
    }
}

#[test]
fn other_texts_are_malformed() {
    let harness = Harness::new();
    let forge = &harness.forge;
    let good = forge.token();
    let [header, claims, signature] = parts(&good);
    let duplicate = |object: Value, name: &str| {
        let text = object.to_string();
        let once = text.strip_suffix('}').unwrap();
        format!("{once},\"{name}\":{}}}", object[name])
    };
    let header_json = forge.header().to_string();
    let claims_json = forge.claims().to_string();
    let with_head = |text: &str| format!("{}.{claims}.{signature}", encoded(text));
    let not_base64 = good.replace('_', "/").replace('-', "+") + "+";
    let with_body = |text: &str| forge.sign(&header_json, text);
    let long = forge.with_claim("jti", "x".repeat(8 * 1024).into());
    let claim_twice = with_body(&duplicate(forge.claims(), "exp"));
    let header_twice = forge.sign(&duplicate(forge.header(), "alg"), &claims_json);
    let tokens = [
        ("empty", String::new()),
        ("two parts", format!("{header}.{claims}")),
        ("four parts", format!("{good}.{signature}")),
        ("five parts, encrypted", "a.b.c.d.e".to_owned()),
        ("empty parts", "..".to_owned()),
        ("padded", format!("{good}==")),
        ("not base64url", not_base64),
        ("header not JSON", with_head("nope")),
        ("header a list", with_head("[]")),
        ("header nested deep", with_head(&"[".repeat(4000))),
        ("too long", long),
        ("claims not JSON", with_body("nope")),
        ("claims a text", with_body("\"nope\"")),
        ("a claim twice", claim_twice),
        ("a header twice", header_twice),
    ];
    harness.check(Malformed, tokens);
}

#[test]
fn a_foreign_signature_is_refused() {
    let harness = Harness::new();
    let forge = &harness.forge;
    let good = forge.token();
    let [header, claims, signature] = parts(&good);
    let none = changed(forge.header(), "alg", "none".into());
    let hs256 = changed(forge.header(), "alg", "HS256".into());
    let hs256 = format!("{}.{claims}", encoded(&hs256.to_string()));
    let (x, y) = forge.key.coordinates().unwrap();
    let public = hmac::Key::new(hmac::HMAC_SHA256, &[&[4], x, y].concat());
    let hs256_signature = URL_SAFE_NO_PAD.encode(hmac::sign(&public, hs256.as_bytes()));
    let strangers = tempfile::tempdir().unwrap();
    let folder = KeyFolder::new(strangers.path());
    folder.generate(forge.key.id()).unwrap();
    folder.generate(key_id(at(-60), 9)).unwrap();
    let strangers = folder.list().unwrap();
    let stranger = |n: usize| Forge {
        key: Arc::clone(&strangers.keys()[n]),
        client: forge.client,
    };
    let other = forge.with_claim("scope", "job-postings:read".into());
    let [_, other_claims, other_signature] = parts(&other);
    let zeros = URL_SAFE_NO_PAD.encode([0; 64]);
    let signed_with = |signature: &str| format!("{header}.{claims}.{signature}");
    let none = format!("{}.{claims}.", encoded(&none.to_string()));
    let public_key = format!("{hs256}.{hs256_signature}");
    let kinds = [("alg none unsigned", none), ("alg HS256", public_key)];
    harness.check(Kind, kinds);
    harness.check(UnknownKey, [("of a stranger", stranger(0).token())]);
    let tokens = [
        ("of a stranger under our kid", stranger(1).token()),
        ("missing", signed_with("")),
        ("of another token", signed_with(other_signature)),
        (
            "claims of another",
            format!("{header}.{other_claims}.{signature}"),
        ),
        ("cut", signed_with(&signature[..84])),
        ("all zero", signed_with(&zeros)),
    ];
    harness.check(Signature, tokens);
}

#[test]
fn every_member_is_checked() {
    let harness = Harness::new();
    let forge = &harness.forge;
    let upper_kid = forge.key.id().to_string().to_uppercase();
    let headers = [
        ("alg", "none".into(), Kind),
        ("alg", Value::Null, Kind),
        ("alg", "es256".into(), Kind),
        ("alg", "ES384".into(), Kind),
        ("typ", "JWT".into(), Kind),
        ("typ", Value::Null, Kind),
        ("crit", json!(["exp"]), Kind),
        ("crit", json!([]), Kind),
        ("kid", Value::Null, UnknownKey),
        ("kid", "../keys".into(), UnknownKey),
        ("kid", upper_kid.into(), UnknownKey),
    ];
    for (member, value, fault) in headers {
        let name = format!("{member} {value}");
        harness.check(fault, [(name, forge.with_header(member, value))]);
    }
    let no_client = || Value::from(Uuid::nil().to_string());
    let claims = [
        ("iss", Value::Null, Audience),
        ("iss", "https://evil.example".into(), Audience),
        ("iss", format!("{ISSUER}/").into(), Audience),
        ("aud", Value::Null, Audience),
        ("aud", "https://evil.example".into(), Audience),
        ("aud", json!(["https://evil.example"]), Audience),
        ("aud", json!([]), Audience),
        ("aud", json!([ISSUER, 1]), Audience),
        ("exp", Value::Null, Claims),
        ("exp", (START + 60).to_string().into(), Claims),
        ("exp", json!(1.5e18), Claims),
        ("exp", json!(u64::MAX), Claims),
        ("exp", (START - 1).into(), Expired),
        ("exp", START.into(), Expired),
        ("exp", i64::MIN.into(), Expired),
        ("nbf", (START + 1).into(), NotYet),
        ("nbf", "now".into(), Claims),
        ("iat", Value::Null, Claims),
        ("iat", "now".into(), Claims),
        ("jti", Value::Null, Claims),
        ("jti", "".into(), Claims),
        ("client_id", Value::Null, Claims),
        ("client_id", no_client(), Claims),
        ("sub", Value::Null, Claims),
        ("sub", no_client(), Claims),
        ("scope", Value::Null, Claims),
        ("scope", json!(["job-postings:write"]), Claims),
    ];
    for (member, value, fault) in claims {
        let name = format!("{member} {value}");
        harness.check(fault, [(name, forge.with_claim(member, value))]);
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let harness = Harness::new();
    let good = harness.forge.token();
    for position in 0..good.len() {
        let mut bytes = good.clone().into_bytes();
        bytes[position] ^= 1;
        let token = String::from_utf8(bytes).unwrap();
        assert!(harness.outcome(&token).is_err(), "byte {position}");
    }
}

#[test]
fn other_forms_of_rfc_9068_are_accepted() {
    let harness = Harness::new();
    let forge = &harness.forge;
    for token in [
        forge.with_header("typ", "AT+JWT".into()),
        forge.with_header("typ", "application/at+jwt".into()),
        forge.with_header("jku", "https://evil.example/keys".into()),
        forge.with_claim("aud", json!(["https://other.example", ISSUER])),
        forge.with_claim("scope", "job-postings:write something:new".into()),
        forge.with_claim("exp", i64::MAX.into()),
        forge.with_claim("more", json!({ "than": "needed" })),
    ] {
        assert_eq!(harness.outcome(&token), Ok(forge.client));
    }
}

#[test]
fn unknown_scopes_open_nothing() {
    let harness = Harness::new();
    for (scope, known) in [
        ("", vec![]),
        ("everything", vec![]),
        ("job-postings:write", vec![Scope::JobPostingsWrite]),
    ] {
        let token = harness.forge.with_claim("scope", scope.into());
        assert_eq!(harness.verify(&token).unwrap().scopes, known);
    }
}
