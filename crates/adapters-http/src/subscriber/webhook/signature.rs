//! Verifies a delivery's signature: HMAC-SHA256 of the bytes of its body.

use actix_web::http::header::{HeaderMap, HeaderName};
use newsletter::subscriber::SignedWith;
use ring::hmac::{self, HMAC_SHA256, Key};
use secrecy::{ExposeSecret, SecretString};

const NAME: HeaderName = HeaderName::from_static("signature");
const LENGTH: usize = 32;

/// The secrets: one for each account, and several while a secret is replaced.
pub struct Signatures(Vec<Key>);

impl Signatures {
    pub fn new(secrets: &[SecretString]) -> Self {
        let secrets = secrets.iter().map(ExposeSecret::expose_secret);
        let known = secrets.filter(|secret| !secret.is_empty());
        Self(
            known
                .map(|secret| Key::new(HMAC_SHA256, secret.as_bytes()))
                .collect(),
        )
    }

    pub const fn is_off(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns which secret signed the body. Takes constant time.
    pub fn verify(&self, signature: &Signature, body: &[u8]) -> Option<SignedWith> {
        let of = self.0.len();
        self.0.iter().zip(1..).fold(None, |found, (key, nth)| {
            let is_good = hmac::verify(key, body, &signature.0).is_ok();
            found.or_else(|| is_good.then_some(SignedWith { nth, of }))
        })
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Signature([u8; LENGTH]);

impl Signature {
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

    #[test]
    fn any_of_the_secrets_may_have_signed() {
        let good = Signature::parse(GOOD.as_bytes()).unwrap();
        for (secrets, body, expect) in [
            (&[SECRET][..], BODY, Some(1)),
            (&["other", SECRET], BODY, Some(2)),
            (&[SECRET, "other", SECRET], BODY, Some(1)),
            (&["other"], BODY, None),
            (&[], BODY, None),
            (&["", ""], BODY, None),
            (&[SECRET], b"what do ya want for nothing? ", None),
            (&[SECRET], b"", None),
        ] {
            let known: Vec<SecretString> = secrets.iter().map(|it| (*it).into()).collect();
            let known = Signatures::new(&known);
            // An empty secret counts as none.
            assert_eq!(known.is_off(), secrets.concat().is_empty(), "{secrets:?}");
            let expect = expect.map(|nth| SignedWith {
                nth,
                of: secrets.len(),
            });
            assert_eq!(known.verify(&good, body), expect, "{secrets:?}");
        }
    }

    #[test]
    fn only_one_signature_of_lower_case_hex_is_read() {
        for (sent, expect) in [
            (&[GOOD][..], true),
            (&[], false),
            (&[""], false),
            (&[GOOD, GOOD], false),
            (&[&*GOOD.to_uppercase()], false),
            (&[&GOOD[1..]], false),
            (&[&GOOD[2..]], false),
            (&[&*format!("{GOOD}00")], false),
            (&[&*format!("sha256={GOOD}")], false),
            (&[&*GOOD.replace('5', "g")], false),
            (&[&*GOOD.replace('5', "é")], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in sent {
                headers.append(NAME, HeaderValue::from_str(value).unwrap());
            }
            assert_eq!(Signature::of(&headers).is_some(), expect, "{sent:?}");
        }
    }
}
