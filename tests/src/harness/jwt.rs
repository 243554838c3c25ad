use std::{fs, path::Path};

use base64::{Engine, prelude::BASE64_STANDARD, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};
use serde_json::Value;

#[derive(Clone, Debug)]
pub struct Jwt {
    pub header: Value,
    pub claims: Value,
}

impl Jwt {
    pub fn parse(token: &str) -> Self {
        let parts: Vec<&str> = token.split('.').collect();
        let [header, claims, _] = parts[..] else {
            panic!("not a JWT: {token}")
        };
        let part = |text: &str| BASE64.decode(text).unwrap();
        Self {
            header: serde_json::from_slice(&part(header)).unwrap(),
            claims: serde_json::from_slice(&part(claims)).unwrap(),
        }
    }

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
