use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::hmac;
use webhooks::Delivery;

/// The value of `webhook-signature`: per secret, `v1,` and a base64 signature, separated by spaces.
pub fn signature(delivery: &Delivery<'_>, timestamp: i64) -> String {
    let before_body = format!("{}.{timestamp}.", delivery.id);
    let mut text = String::new();
    for secret in delivery.secrets {
        let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, secret.key()));
        context.update(before_body.as_bytes());
        context.update(delivery.body);
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str("v1,");
        STANDARD.encode_string(context.sign(), &mut text);
    }
    text
}
