//! Access tokens: reading them, and forging those that must be refused.

use std::{fs, path::Path};

use base64::{Engine, prelude::BASE64_STANDARD, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use ring::{
    hmac,
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, UnparsedPublicKey,
    },
};
use serde_json::Value;

/// A token in its parts.
#[derive(Clone, Debug)]
pub struct Jwt {
    pub header: Value,
    pub claims: Value,
    signed: String,
    signature: Vec<u8>,
}

impl Jwt {
    /// Takes a token apart.
    pub fn parse(token: &str) -> Self {
        let parts: Vec<&str> = token.split('.').collect();
        let [header, claims, signature] = parts[..] else {
            panic!("not a JWT: {token}")
        };
        let part = |text: &str| BASE64.decode(text).unwrap();
        Self {
            header: serde_json::from_slice(&part(header)).unwrap(),
            claims: serde_json::from_slice(&part(claims)).unwrap(),
            signed: format!("{header}.{claims}"),
            signature: part(signature),
        }
    }

    /// Whether a key of this set signed it.
    pub fn is_signed_by(&self, jwks: &Value) -> bool {
        let keys = jwks["keys"].as_array().unwrap();
        keys.iter()
            .filter(|key| key["kid"] == self.header["kid"])
            .any(|key| {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point(key))
                    .verify(self.signed.as_bytes(), &self.signature)
                    .is_ok()
            })
    }

    /// The token with its old signature, whatever was changed.
    pub fn with_old_signature(&self) -> String {
        format!("{}.{}", self.text(), BASE64.encode(&self.signature))
    }

    /// The token as it was, but for one bit of its signature.
    pub fn with_broken_signature(&self) -> String {
        let mut signature = self.signature.clone();
        signature[10] ^= 1;
        format!("{}.{}", self.signed, BASE64.encode(signature))
    }

    /// The token without a signature.
    pub fn unsigned(&self) -> String {
        format!("{}.", self.text())
    }

    /// The token signed with HMAC-SHA256.
    pub fn signed_by_secret(&self, secret: &[u8]) -> String {
        let text = self.text();
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), text.as_bytes());
        format!("{text}.{}", BASE64.encode(tag))
    }

    /// The token signed by a key.
    pub fn signed_by(&self, key: &EcdsaKeyPair) -> String {
        let text = self.text();
        let signature = key.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
        format!("{text}.{}", BASE64.encode(signature))
    }

    fn text(&self) -> String {
        let part = |value: &Value| BASE64.encode(value.to_string());
        format!("{}.{}", part(&self.header), part(&self.claims))
    }
}

/// A key that nobody knows.
pub fn new_key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap()
}

/// A key of the service, from its file.
pub fn read_key(path: &Path) -> EcdsaKeyPair {
    let pem = fs::read_to_string(path).unwrap();
    assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----"), "PKCS#8 PEM");
    let base64: String = pem
        .lines()
        .filter(|line| !line.starts_with("-----"))
        .collect();
    let der = BASE64_STANDARD.decode(base64).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &SystemRandom::new()).unwrap()
}

/// The uncompressed point of a public key (SEC 1 §2.3.3).
pub fn point(jwk: &Value) -> Vec<u8> {
    let coordinate = |name: &str| BASE64.decode(jwk[name].as_str().unwrap()).unwrap();
    [vec![4], coordinate("x"), coordinate("y")].concat()
}

/// The same as SPKI (RFC 5480), which is how a public key is usually kept.
pub fn spki(jwk: &Value) -> Vec<u8> {
    const PREFIX: [u8; 26] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ];
    [PREFIX.to_vec(), point(jwk)].concat()
}

/// And that as PEM.
pub fn pem(jwk: &Value) -> String {
    let base64 = BASE64_STANDARD.encode(spki(jwk));
    let (first, second) = base64.split_at(64);
    format!("-----BEGIN PUBLIC KEY-----\n{first}\n{second}\n-----END PUBLIC KEY-----\n")
}
