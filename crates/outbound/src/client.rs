use std::{sync::Arc, time::Duration};

use reqwest::{Client, ClientBuilder, dns::Resolve, header::HeaderValue, redirect, retry};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};

/// How long [`resolving_client`] keeps an idle connection.
const IDLE_TIME: Duration = Duration::from_secs(20);

#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    pub connection: Duration,
    /// The time until the answer is complete.
    pub answer: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Http,
    Https,
}

pub fn client(base: &Url, timeouts: Timeouts, idle: usize) -> reqwest::Result<Client> {
    builder_for(base, timeouts.connection, idle)
        .timeout(timeouts.answer)
        .build()
}

/// A client with up to `idle` idle connections, which uses the proxy of the environment.
pub fn client_over(
    transport: Transport,
    timeouts: Timeouts,
    idle: usize,
) -> reqwest::Result<Client> {
    builder(transport, timeouts.connection, idle)
        .timeout(timeouts.answer)
        .build()
}

/// A client for long uploads to `base`. Only the caller limits the time. The service may stop
/// reading for long, so `TCP_USER_TIMEOUT` is removed: after reqwest's 30 seconds, it would close
/// the connection. Each request has its own connection, because the unread rest of a refused upload
/// would delay the next request.
pub fn upload_client(base: &Url, connection: Duration) -> reqwest::Result<Client> {
    let builder = builder_for(base, connection, 0);
    #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
    let builder = builder.tcp_user_timeout(None);
    builder.build()
}

fn builder_for(base: &Url, connection: Duration, idle: usize) -> ClientBuilder {
    let transport = if base.scheme() == "http" {
        Transport::Http
    } else {
        Transport::Https
    };
    let builder = builder(transport, connection, idle);
    let is_loopback = match base.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    if is_loopback {
        // A proxy would connect to its own loopback interface.
        builder.no_proxy()
    } else {
        builder
    }
}

/// A client for any host. It keeps up to `idle` idle connections to each host for a short time.
///
/// A connection goes only to an address from `resolver`. No proxy is used, because a proxy resolves
/// names itself. If a host is an IP address, the caller must check it.
pub fn resolving_client(
    transport: Transport,
    resolver: Arc<dyn Resolve>,
    timeouts: Timeouts,
    idle: usize,
) -> reqwest::Result<Client> {
    builder(transport, timeouts.connection, idle)
        .timeout(timeouts.answer)
        .pool_idle_timeout(IDLE_TIME)
        .https_only(transport == Transport::Https)
        .dns_resolver(resolver)
        .no_proxy()
        .build()
}

fn builder(transport: Transport, connection: Duration, idle: usize) -> ClientBuilder {
    // An error only means that a provider is already installed.
    _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .user_agent(concat!("posthaste/", env!("CARGO_PKG_VERSION")))
        // A redirect could send the key to another host.
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .connect_timeout(connection)
        .pool_max_idle_per_host(idle);
    match transport {
        // By default, building a client loads certificates, and fails without any, even for HTTP.
        Transport::Http => builder.tls_certs_only([]),
        Transport::Https => builder,
    }
}

/// The URL without query and fragment, with a final slash for joining. `None` if it is not HTTP.
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

/// The URL without user information, which would be sent in addition to a key.
pub fn without_credentials(mut url: Url) -> Option<Url> {
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some(url)
}

/// The header's value: a scheme such as `Bearer ` and the key. `None` for an empty or broken key.
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
