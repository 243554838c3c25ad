//! Warnings at the start about endpoints that are exposed unintentionally.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use crate::args::values::AdminBind;

pub fn warn(public_url: &str, admin: AdminBind) {
    if in_the_clear(public_url) {
        tracing::warn!(
            public_url,
            "client secrets and tokens would travel in the clear; put a proxy with TLS in front, \
             and its https address into POSTHASTE_PUBLIC_URL"
        );
    }
    if let AdminBind::At(address) | AdminBind::IfFree(address) = admin
        && is_public(address)
    {
        tracing::warn!(
            %address,
            "/metrics has no authentication, and its address may be reached from outside; bind \
             POSTHASTE_ADMIN_BIND to a private one, or restrict access with a firewall"
        );
    }
}

pub fn warn_of_console(url: &str, bind: SocketAddr, has_proxy: bool) {
    if in_the_clear(url) {
        tracing::warn!(
            url,
            "links and sessions of the console would travel in the clear; put a proxy with TLS in \
             front, and its https address into POSTHASTE_CONSOLE_URL"
        );
    }
    if is_public(bind) && !has_proxy {
        tracing::warn!(
            address = %bind,
            "the console may be reached from outside; bind POSTHASTE_CONSOLE_BIND to a private \
             address, or let a proxy sign operators in (POSTHASTE_CONSOLE_USER_HEADER)"
        );
    }
}

/// Whether remote clients would send tokens without TLS (RFC 6749 §3.2, RFC 6750 §5.3).
pub fn in_the_clear(public_url: &str) -> bool {
    let Ok(url) = Url::parse(public_url) else {
        return false;
    };
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => true,
    };
    url.scheme() == "http" && !is_here
}

fn is_public(address: SocketAddr) -> bool {
    match address.ip() {
        IpAddr::V4(ip) => !(ip.is_loopback() || ip.is_private() || ip.is_link_local()),
        IpAddr::V6(ip) => !(ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_public_address_without_tls_is_in_the_clear() {
        for (url, expect) in [
            ("http://jobs.example.org", true),
            ("http://10.0.0.7:8080", true),
            ("http://0.0.0.0:8080", true),
            ("https://jobs.example.org", false),
            ("http://localhost:8080", false),
            ("http://127.0.0.1:8080", false),
            ("http://[::1]:8080", false),
        ] {
            assert_eq!(in_the_clear(url), expect, "{url}");
        }
    }

    #[test]
    fn all_addresses_may_include_a_public_one() {
        for (address, expect) in [
            ("0.0.0.0:9464", true),
            ("[::]:9464", true),
            ("203.0.113.7:9464", true),
            ("127.0.0.1:9464", false),
            ("10.1.2.3:9464", false),
            ("[::1]:9464", false),
            ("[fd00::1]:9464", false),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), expect, "{address}");
        }
    }
}
