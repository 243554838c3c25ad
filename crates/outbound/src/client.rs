//! What requests are made with.

use std::time::Duration;

use reqwest::{Client, header::HeaderValue, redirect, retry};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};

/// How long an answer may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Until there is a connection.
    pub connection: Duration,
    /// Until the answer is there in full.
    pub answer: Duration,
}

/// Makes what speaks to the service at an address. Up to `idle` connections are kept for later.
pub fn client(base: &Url, patience: Patience, idle: usize) -> reqwest::Result<Client> {
    // Fails when there is one already, which is as good.
    _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("posthaste/", env!("CARGO_PKG_VERSION")))
        // A key is for this host alone.
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .connect_timeout(patience.connection)
        .timeout(patience.answer)
        .pool_max_idle_per_host(idle);
    if base.scheme() == "http" {
        // Certificates are looked for when the client is made, and it is an error if the
        // machine has none, needed or not.
        builder = builder.tls_certs_only([]);
    }
    let is_loopback = match base.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    if is_loopback {
        // A proxy's loopback is another one.
        builder = builder.no_proxy();
    }
    builder.build()
}

/// The address with a path that ends with a slash, to join paths to, and without a query;
/// `None` if it is none of HTTP.
pub fn base(url: &Url) -> Option<Url> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let mut base = url.clone();
    base.set_query(None);
    base.set_fragment(None);
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    Some(base)
}

/// The address without a name and a password, which would be sent beside a key; `None` if such an
/// address can have none.
pub fn without_credentials(mut url: Url) -> Option<Url> {
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some(url)
}

/// The value of a header that carries a key, after a word such as `Bearer `. `None` if the key is
/// empty, or has characters that no key has, such as the end of a line.
pub fn credential(scheme: &str, key: &SecretString) -> Option<HeaderValue> {
    let key = key.expose_secret();
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let mut value = HeaderValue::from_str(&format!("{scheme}{key}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_end_with_a_slash_and_have_a_path() {
        let check = |url: &str, expect: &str| {
            assert_eq!(base(&url.parse().unwrap()).unwrap().as_str(), expect);
        };
        check("http://h.example", "http://h.example/");
        check("http://h.example/", "http://h.example/");
        check("https://h.example/jobs", "https://h.example/jobs/");
        check("https://h.example/jobs/?a#b", "https://h.example/jobs/");
        for other in ["localhost:8080", "ftp://h.example/", "data:,x"] {
            assert_eq!(base(&other.parse().unwrap()), None, "{other}");
        }
    }

    #[test]
    fn credentials_leave_an_address() {
        let without = |url: &str| without_credentials(url.parse().unwrap()).map(String::from);
        let expect = Some("http://h.example/a?b".to_owned());
        assert_eq!(without("http://user:word@h.example/a?b"), expect);
        assert_eq!(without("http://h.example/a?b"), expect);
        assert_eq!(without("data:,x"), None);
    }

    #[test]
    fn a_key_is_a_secret_and_one_word() {
        let value = credential("Bearer ", &"sesame".into()).unwrap();
        assert_eq!(value, "Bearer sesame");
        assert!(!format!("{value:?}").contains("sesame"));
        for none in ["", "sesame\n", "sesame open", "sesame\u{0}", "sésame"] {
            assert_eq!(credential("", &none.into()), None, "{none:?}");
        }
    }
}
