//! The host names that a listener accepts, as a protection against DNS rebinding.
//!
//! A web page can make its own name resolve to this machine. It could then read what a browser on
//! this machine can reach. The browser sends the page's name in `Host`, which reveals such
//! requests.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use actix_web::http::header::{HOST, HeaderMap};

use crate::error::refusals;

/// The accepted `Host` names. IP addresses and `localhost` are always accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hosts {
    Any,
    Local,
    Named(Arc<[String]>),
}

impl Hosts {
    /// The accepted names for a listener's address. Without `names`, a loopback address accepts
    /// only `localhost`. Others then accept every name, because a monitoring system may use any.
    pub fn of(address: SocketAddr, names: Vec<String>) -> Self {
        if !names.is_empty() {
            Self::Named(names.into())
        } else if address.ip().is_loopback() {
            Self::Local
        } else {
            Self::Any
        }
    }

    pub fn of_url(url: &str) -> Self {
        let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
        let name = name(authority.split('/').next().unwrap_or_default());
        if is_local(name) {
            Self::Local
        } else {
            Self::Named([name.to_owned()].into())
        }
    }

    /// Whether a request is meant for this listener. `Host` may be absent: browsers always send it.
    pub fn allow(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(HOST);
        hosts.all(|host| self.has(host.to_str().unwrap_or_default()))
    }

    fn has(&self, host: &str) -> bool {
        let name = name(host);
        match self {
            Self::Any => true,
            Self::Local => is_local(name),
            Self::Named(own) => {
                own.iter().any(|own| own.eq_ignore_ascii_case(name)) || is_local(name)
            }
        }
    }
}

/// Returns a host without its port. The port is not compared, because a proxy may have another one.
fn name(host: &str) -> &str {
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        _ => host,
    }
}

fn is_local(name: &str) -> bool {
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok()
}

refusals! {
    misdirected: MISDIRECTED_REQUEST,
        "The header Host must name this listener: by its address, as localhost, or by the name in \
         its configured URL.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_localhost_and_the_own_name_are_answered() {
        let local = Hosts::of("127.0.0.1:9464".parse().unwrap(), Vec::new());
        let any = Hosts::of("10.0.0.7:9464".parse().unwrap(), Vec::new());
        let names = ["serve", "worker"].map(str::to_owned).to_vec();
        let listed = Hosts::of("0.0.0.0:9464".parse().unwrap(), names);
        assert!(listed.has("serve:9464") && listed.has("Worker") && listed.has("127.0.0.1"));
        assert!(!listed.has("evil.example:9464"));
        let console = Hosts::of_url("https://console.example");
        for (host, is_local, is_named) in [
            ("localhost", true, true),
            ("LocalHost:9464", true, true),
            ("127.0.0.1:9464", true, true),
            ("10.0.0.7", true, true),
            ("[::1]:9464", true, true),
            ("[::1]", true, true),
            ("console.example", false, true),
            ("Console.Example:8443", false, true),
            ("evil.example", false, false),
            ("evil.example:9464", false, false),
            ("console.example.evil.example", false, false),
            ("127.0.0.1.evil.example", false, false),
            ("localhost.evil.example:9464", false, false),
            ("", false, false),
        ] {
            assert_eq!(local.has(host), is_local, "{host}");
            assert_eq!(console.has(host), is_named, "{host}");
            assert!(any.has(host), "{host}");
        }
    }

    #[test]
    fn an_address_of_pages_has_a_name_or_none() {
        for (url, hosts) in [
            ("http://127.0.0.1:8081", Hosts::Local),
            ("http://[::1]:8081", Hosts::Local),
            ("http://0.0.0.0:8081", Hosts::Local),
            (
                "https://console.example:8443",
                Hosts::Named(["console.example".to_owned()].into()),
            ),
        ] {
            assert_eq!(Hosts::of_url(url), hosts, "{url}");
        }
    }
}
