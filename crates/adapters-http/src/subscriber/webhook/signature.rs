//! Verifies a delivery's signature: HMAC-SHA256 of the bytes of its body.

use actix_web::http::header::{HeaderMap, HeaderName};
use newsletter::subscriber::SignedWith;
use ring::hmac::{self, HMAC_SHA256, Key};
use secrecy::{ExposeSecret, SecretString};

/// The header with the signature, in lower-case hex.
const NAME: HeaderName = HeaderName::from_static("signature");
/// The length of a SHA-256.
const LENGTH: usize = 32;

/// The secrets that deliveries may be signed with: one for each account, and several during a
/// change of secrets.
pub struct Signatures(Vec<Key>);

impl Signatures {
    /// Imports the secrets. Empty ones are ignored.
    pub fn new(secrets: &[SecretString]) -> Self {
        let secrets = secrets.iter().map(ExposeSecret::expose_secret);
        let known = secrets.filter(|secret| !secret.is_empty());
        Self(
            known
                .map(|secret| Key::new(HMAC_SHA256, secret.as_bytes()))
                .collect(),
        )
    }

    /// Whether there is no secret, so that no delivery can be accepted.
    pub const fn is_off(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns which secret signed the body, if one did. Takes the same time for any result.
    pub fn verify(&self, signature: &Signature, body: &[u8]) -> Option<SignedWith> {
        let of = self.0.len();
        self.0.iter().zip(1..).fold(None, |found, (key, nth)| {
            let is_good = hmac::verify(key, body, &signature.0).is_ok();
            found.or_else(|| is_good.then_some(SignedWith { nth, of }))
        })
    }
}

/// A delivery's signature.
#[derive(Debug, PartialEq, Eq)]
pub struct Signature([u8; LENGTH]);

impl Signature {
    /// The signature in the headers, if there is a well-formed one.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(NAME);
        let value = values.next().filter(|_| values.next().is_none())?;
        Self::parse(value.as_bytes())
    }

    fn parse(hex: &[u8]) -> Option<Self> {
        let (pairs, rest) = hex.as_chunks::<2>();
        if pairs.len() != LENGTH || !rest.is_empty() {
            return None;
        }
        let mut bytes = [0; LENGTH];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Self(bytes))
    }
}

const fn digit(hex: u8) -> Option<u8> {
    match hex {
        b'0'..=b'9' => Some(hex - b'0'),
        b'a'..=b'f' => Some(hex - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    /// RFC 4231 §4.3.
    const SECRET: &str = "Jefe";
    const BODY: &[u8] = b"what do ya want for nothing?";
    const GOOD: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

    fn signatures(secrets: &[&str]) -> Signatures {
        let secrets: Vec<SecretString> = secrets.iter().map(|s| (*s).into()).collect();
        Signatures::new(&secrets)
    }

    #[test]
    fn any_of_the_secrets_may_have_signed() {
        let good = Signature::parse(GOOD.as_bytes()).unwrap();
        let check = |secrets: &[&str], body: &[u8], expect: Option<usize>| {
            let found = signatures(secrets).verify(&good, body);
            let of = secrets.len();
            let expect = expect.map(|nth| SignedWith { nth, of });
            assert_eq!(found, expect, "{secrets:?}");
        };
        check(&[SECRET], BODY, Some(1));
        check(&["other", SECRET], BODY, Some(2));
        check(&[SECRET, "other", SECRET], BODY, Some(1));
        check(&["other"], BODY, None);
        check(&[], BODY, None);
        check(&[SECRET], b"what do ya want for nothing? ", None);
        check(&[SECRET], b"", None);
    }

    #[test]
    fn an_empty_secret_is_none() {
        assert!(signatures(&[]).is_off());
        assert!(signatures(&["", ""]).is_off());
        assert!(!signatures(&["", SECRET]).is_off());
    }

    #[test]
    fn only_one_signature_of_lower_case_hex_is_read() {
        let check = |values: &[&str], expect: bool| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(NAME, HeaderValue::from_str(value).unwrap());
            }
            assert_eq!(Signature::of(&headers).is_some(), expect, "{values:?}");
        };
        check(&[GOOD], true);
        check(&[], false);
        check(&[""], false);
        check(&[GOOD, GOOD], false);
        check(&[&GOOD.to_uppercase()], false);
        check(&[&GOOD[1..]], false);
        check(&[&GOOD[2..]], false);
        check(&[&format!("{GOOD}00")], false);
        check(&[&format!("sha256={GOOD}")], false);
        check(&[&GOOD.replace('5', "g")], false);
        check(&[&GOOD.replace('5', "é")], false);
    }
}
