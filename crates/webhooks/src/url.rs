use std::{fmt, net::IpAddr};

use fields::website::{InvalidWebUrl, parse_web_url};
use url::{Host, Url};

use super::{PrivateAddresses, is_public};

/// The longest URL in characters.
pub const LONGEST_URL: usize = 2_048;

/// Names of a machine or a local network; their subdomains count, too. The list has RFC 6761, 6762
/// and 8375, ICANN's `internal`, and unregistered names that routers and companies use.
const PRIVATE_DOMAINS: &[&str] = &[
    "corp",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "private",
];

/// The URL of a receiver.
///
/// The URL is absolute, HTTP or HTTPS, and has no user information and no fragment. Each host has a
/// single spelling: `https://0x7f.1` becomes `https://127.0.0.1/`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EndpointUrl(Url);

/// Why a text is no receiver's URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidEndpointUrl {
    /// The text is not an absolute web URL.
    #[error("must be an absolute https URL")]
    Malformed,
    /// The URL is plain HTTP.
    #[error("must be an https URL, as plain http can be read and changed on its way")]
    Plain,
    /// The URL has more than 2,048 characters.
    #[error("must not have more than {LONGEST_URL} characters")]
    TooLong,
    /// The URL has user information before its host.
    #[error("must not contain user information")]
    UserInformation,
    /// The URL has a fragment, which clients never send.
    #[error("must not contain a fragment")]
    Fragment,
    /// The URL has port 0, where no server can listen.
    #[error("must not have the port 0")]
    Port,
    /// The host is an address or a name of a machine or of a local network.
    #[error("must lead to a public address, not to a private one or none")]
    Private,
}

impl EndpointUrl {
    /// Parses a text from a client or an operator.
    pub fn parse(text: &str, private: PrivateAddresses) -> Result<Self, InvalidEndpointUrl> {
        if text.chars().nth(LONGEST_URL).is_some() {
            return Err(InvalidEndpointUrl::TooLong);
        }
        let url = parse_web_url(text).map_err(|error| match error {
            InvalidWebUrl::Malformed => InvalidEndpointUrl::Malformed,
            InvalidWebUrl::UserInformation => InvalidEndpointUrl::UserInformation,
        })?;
        // The encoded URL may be longer than the text.
        if url.as_str().len() > LONGEST_URL {
            return Err(InvalidEndpointUrl::TooLong);
        }
        if url.fragment().is_some() {
            return Err(InvalidEndpointUrl::Fragment);
        }
        if url.port() == Some(0) {
            return Err(InvalidEndpointUrl::Port);
        }
        let url = Self(url);
        url.check(private)?;
        Ok(url)
    }

    /// Parses a stored text from [`Self::as_str`]. When it was stored, private addresses may have
    /// been allowed, so a sender must check it.
    pub fn from_store(text: &str) -> Result<Self, InvalidEndpointUrl> {
        Self::parse(text, PrivateAddresses::Allow)
    }

    /// Checks the scheme and the host. A name is not resolved, so it may still lead to any address.
    pub fn check(&self, private: PrivateAddresses) -> Result<(), InvalidEndpointUrl> {
        if private == PrivateAddresses::Allow {
            return Ok(());
        }
        if self.is_plain() {
            return Err(InvalidEndpointUrl::Plain);
        }
        let is_public = match self.0.host() {
            Some(Host::Domain(name)) => is_public_name(name),
            Some(Host::Ipv4(address)) => is_public(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => is_public(IpAddr::V6(address)),
            None => false,
        };
        if is_public {
            Ok(())
        } else {
            Err(InvalidEndpointUrl::Private)
        }
    }

    /// Whether the URL is plain HTTP.
    pub fn is_plain(&self) -> bool {
        self.0.scheme() == "http"
    }

    /// The name to resolve; `None` for an IP address.
    pub fn name(&self) -> Option<&str> {
        self.0.domain()
    }

    /// The host's name or address for logs. The rest of the URL may contain the receiver's secrets.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The URL.
    pub const fn url(&self) -> &Url {
        &self.0
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for EndpointUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for EndpointUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EndpointUrl({})", self.0)
    }
}

fn is_public_name(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    let is_in = |domain: &&str| {
        let rest = name.strip_suffix(*domain);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    // A name without a dot is resolved by the machine's search list.
    name.contains('.') && !PRIVATE_DOMAINS.iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<EndpointUrl, InvalidEndpointUrl> {
        EndpointUrl::parse(text, PrivateAddresses::Refuse)
    }

    fn refused(texts: &[&str], expect: InvalidEndpointUrl) {
        for text in texts {
            assert_eq!(parse(text), Err(expect), "{text}");
        }
    }

    #[test]
    fn public_receivers_are_taken() {
        for (text, expect) in [
            ("https://hooks.acme.example/a?b=c", None),
            (
                "HTTPS://Hooks.ACME.example:443",
                Some("https://hooks.acme.example/"),
            ),
            ("https://acme.example:8443/", None),
            ("https://acme.example./", None),
            (
                "https://bücher.example/",
                Some("https://xn--bcher-kva.example/"),
            ),
            ("https://1.1.1.1/", None),
            ("https://[2606:4700::1111]/", None),
            ("https://mylocal.example/@a", None),
            ("https://notlocalhost.example/", None),
            ("https://a.notlocal/", None),
        ] {
            let (url, expect) = (parse(text), expect.unwrap_or(text));
            assert_eq!(EndpointUrl::from_store(expect), url, "{text}");
            assert_eq!(url.unwrap().as_str(), expect);
        }
    }

    #[test]
    fn texts_that_are_no_url_of_a_receiver_are_refused() {
        refused(
            &[
                "",
                "acme.example",
                "//acme.example",
                "/hooks",
                "ftp://acme.example",
                "file:///etc/passwd",
                "gopher://127.0.0.1:6379/_",
                "https:acme.example",
                "https:///acme.example",
                "https://",
                "https://?a",
                "https://acme.example\\@127.0.0.1",
                "https://ac\tme.example",
                "https://acme.example/\r\nHost:%20x",
                "https://acme.example/a b",
                "https://acme.example/\u{0}",
                "https://acme.example:99999/",
                "https://[::1",
                "https://[fe80::1%25eth0]/",
                "https://1.2.3.4.5/",
                "https://256.256.256.256/",
                "https://a%00b.example/",
            ],
            InvalidEndpointUrl::Malformed,
        );
        refused(
            &["http://acme.example/", "http://127.0.0.1/"],
            InvalidEndpointUrl::Plain,
        );
        refused(
            &["https://a:b@acme.example/", "https://@acme.example/"],
            InvalidEndpointUrl::UserInformation,
        );
        refused(
            &["https://acme.example/#", "https://acme.example/a#b"],
            InvalidEndpointUrl::Fragment,
        );
        refused(&["https://acme.example:0/"], InvalidEndpointUrl::Port);
    }

    #[test]
    fn a_url_has_at_most_2048_characters_even_when_encoded() {
        let of = |path: &str| parse(&format!("https://acme.example/{path}"));
        let longest = "a".repeat(LONGEST_URL - "https://acme.example/".len());
        assert!(of(&longest).is_ok());
        let too_long = Err(InvalidEndpointUrl::TooLong);
        assert_eq!(of(&format!("{longest}a")), too_long);
        assert_eq!(of(&"ü".repeat(400)), too_long);
    }

    #[test]
    fn private_hosts_are_refused_in_every_spelling() {
        // A port, or the dot of a full name, may follow the host.
        let hosts = "127.0.0.1 127.0.0.1. 127.0.0.0x 127.0.0.2 127.1 127.0.1 2130706433 0x7f000001
            0x7F.1 0x7f.0x0.0x0.0x1 0177.0.0.1 017700000001 00000000177.0.0.1 0177.0x0.0.1.
            %31%32%37.0.0.1 127%2e0%2e0%2e1 １２７.0.0.1 127。0。0。1 127．0．0．1 ①②⑦.⓪.⓪.①
            127.0.0.1\u{ad}
            0 0.0.0.0 0x0 10.1 10.0.0.1 172.16.0.1 192.168.1.1
            169.254.169.254 2852039166 0xa9fea9fe 0xa9.0xfe.0xa9.0xfe 100.100.100.200
            [::] [::1] [0000:0000::0001] [0:0:0:0:0:0:0:1]
            [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:FFFF:7F00:0001] [::7f00:1] [::127.0.0.1]
            [::ffff:0:127.0.0.1] [::ffff:a9fe:a9fe] [64:ff9b::a00:1] [64:ff9b::127.0.0.1]
            [64:ff9b:1::127.0.0.1] [2002:7f00:1::] [2001:0:7f00:1::80ff:fffe] [fe80::1] [fec0::1]
            [fd00:ec2::254]
            localhost LOCALHOST. localhost.. local%68ost ｌｏｃａｌｈｏｓｔ localhost.localdomain
            a.localhost a.b.localhost a.localhost.. printer.local printer.local.
            metadata.google.internal kubernetes.default.svc.cluster.local router.home.arpa
            intranet redis ip6-localhost";
        for host in hosts.split_whitespace() {
            for rest in ["/", ":6379/latest/meta-data"] {
                refused(
                    &[&format!("https://{host}{rest}")],
                    InvalidEndpointUrl::Private,
                );
            }
        }
    }

    #[test]
    fn private_hosts_and_plain_http_can_be_allowed() {
        let texts = "http://127.0.0.1:8080/ https://localhost/ http://[::1]/ http://receiver:8080/";
        for text in texts.split(' ') {
            let url = EndpointUrl::parse(text, PrivateAddresses::Allow).unwrap();
            assert_eq!(url.as_str(), text);
            assert!(url.check(PrivateAddresses::Refuse).is_err(), "{text}");
        }
        for text in ["http://a@127.0.0.1/", "http://127.0.0.1:0/", "ftp://a/"] {
            let url = EndpointUrl::parse(text, PrivateAddresses::Allow);
            assert!(url.is_err(), "{text}");
        }
    }

    #[test]
    fn a_host_is_a_name_or_an_address_without_the_rest() {
        for (text, name, host) in [
            (
                "https://acme.example:8443/secret?token=secret",
                Some("acme.example"),
                "acme.example",
            ),
            ("https://1.1.1.1/", None, "1.1.1.1"),
            (
                "https://[2606:4700::1111]/secret",
                None,
                "[2606:4700::1111]",
            ),
        ] {
            let url = parse(text).unwrap();
            assert_eq!((url.name(), url.host()), (name, host));
        }
    }
}
