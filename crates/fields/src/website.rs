//! Web addresses, and the keys that identify companies.

use std::{fmt, ops::Range};

use url::{Position, Url};

use crate::tracking;

/// A company's website as sent, but without user information. Characters that end an HTML attribute
/// are percent-encoded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Website(String);

/// The key that identifies a company: its website in the normal form of RFC 3986 §6, without
/// scheme, leading `www.`, user information, trailing slash and [`tracking`] parameters. A fragment
/// stays only if it names a page, and so begins with `/` or `!`: `jobs.example#/acme`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WebsiteKey(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidWebUrl {
    #[error("must be an absolute http or https URL")]
    Malformed,
    /// User information before the host: browsers hide it, so `https://bank.example@evil.example`
    /// looks like another site.
    #[error("must not contain user information")]
    UserInformation,
}

crate::as_text!(Website, |text| Self::parse(text).ok());

impl Website {
    pub fn parse(text: &str) -> Result<Self, InvalidWebUrl> {
        parse_url(text)?;
        let mut website = text.to_owned();
        website.drain(user_information(text));
        encode_markup(&mut website);
        Ok(Self(website))
    }

    pub fn from_store(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn key(&self) -> WebsiteKey {
        let key = WebsiteKey::parse(&self.0);
        key.unwrap_or_else(|_| WebsiteKey(self.0.clone()))
    }
}

impl fmt::Display for Website {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl WebsiteKey {
    pub fn parse(text: &str) -> Result<Self, InvalidWebUrl> {
        let url = parse_url(text)?;
        let host_and_port = &url[Position::BeforeHost..Position::BeforePath];
        let bare = host_and_port.strip_prefix("www.");
        // The host `www.com` is a site of its own.
        let bare = bare.filter(|bare| bare.contains('.'));
        let mut key = bare.unwrap_or(host_and_port).to_owned();
        key.push_str(decode_unreserved(url.path()).trim_end_matches('/'));
        let query = url.query().unwrap_or_default().split('&');
        let query = query.filter(|pair| !pair.is_empty() && !tracking::is_pair(pair));
        for (at, pair) in query.enumerate() {
            key.push(if at == 0 { '?' } else { '&' });
            key.push_str(&decode_unreserved(pair));
        }
        let is_page = |fragment: &&str| fragment.starts_with(['/', '!']);
        let fragment = url.fragment().filter(is_page).map(decode_unreserved);
        let fragment = fragment.unwrap_or_default();
        let fragment = fragment.trim_end_matches('/');
        if !fragment.is_empty() {
            key.push('#');
            key.push_str(fragment);
        }
        encode_markup(&mut key);
        Ok(Self(key))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn host(&self) -> &str {
        let authority = self.0.split(['/', '?', '#']).next().unwrap_or_default();
        match authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => authority,
        }
    }

    /// The registered domain by the public suffix list; else the host, such as an IP address.
    pub fn domain(&self) -> &str {
        registrable_domain(self.host())
    }

    /// The segments of the path, and of a fragment that names a page.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        let (address, fragment) = self.0.split_once('#').unwrap_or((&self.0, ""));
        let path = address.split('?').next().unwrap_or_default();
        let segments = path.split('/').skip(1).chain(fragment.split('/'));
        segments
            .map(|segment| segment.trim_start_matches('!'))
            .filter(|segment| !segment.is_empty())
    }
}

/// Percent-encodes spaces and characters that end an attribute or begin a tag, for pages that do
/// not escape. The URL Standard's parser does the same, except that it encodes apostrophes only in
/// queries.
pub fn encode_markup(address: &mut String) {
    const ENCODED: [(char, &str); 6] = [
        (' ', "%20"),
        ('"', "%22"),
        ('\'', "%27"),
        ('<', "%3C"),
        ('>', "%3E"),
        ('`', "%60"),
    ];
    let is_encoded = |byte| b" \"'<>`".contains(&byte);
    if address.bytes().any(is_encoded) {
        for (from, to) in ENCODED {
            *address = address.replace(from, to);
        }
    }
}

pub fn check_web_url(text: &str) -> Result<(), InvalidWebUrl> {
    parse_web_url(text).map(|_| ())
}

pub fn parse_web_url(text: &str) -> Result<Url, InvalidWebUrl> {
    let url = parse_url(text)?;
    if user_information(text).is_empty() {
        Ok(url)
    } else {
        Err(InvalidWebUrl::UserInformation)
    }
}

/// The range of the user information, with the `@` at its end.
fn user_information(text: &str) -> Range<usize> {
    let start = text.find("://").map_or(0, |at| at + 3);
    let authority = text[start..].split(['/', '?', '#']).next();
    let length = authority.and_then(|authority| Some(authority.rfind('@')? + 1));
    start..start + length.unwrap_or_default()
}

fn parse_url(text: &str) -> Result<Url, InvalidWebUrl> {
    // Browsers' URL parsers tolerate white space and missing slashes.
    let scheme_len = text.find("://").ok_or(InvalidWebUrl::Malformed)?;
    let scheme = &text[..scheme_len];
    let forgiven = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
    if !(scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
        || text.contains(forgiven)
        || text[scheme_len + 3..].starts_with('/')
    {
        return Err(InvalidWebUrl::Malformed);
    }
    Url::parse(text).map_err(|_| InvalidWebUrl::Malformed)
}

/// The registrable part by the Public Suffix List: `acme.co.uk` of `jobs.acme.co.uk`. IP addresses
/// and suffixes are returned whole.
pub fn registrable_domain(host: &str) -> &str {
    let host = host.trim_end_matches('.');
    if host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok() {
        return host;
    }
    psl::domain_str(host).unwrap_or(host)
}

/// The suffix of a host in lower case, if the Public Suffix List has it: `co.uk` of `acme.co.uk`.
/// `example` is for documents (RFC 2606).
pub fn known_suffix(host: &str) -> Option<&str> {
    match psl::suffix(host.as_bytes()).filter(psl::Suffix::is_known) {
        Some(suffix) => {
            let start = host.len().checked_sub(suffix.as_bytes().len())?;
            (start > 0).then(|| &host[start..])
        }
        None => host
            .rsplit_once('.')
            .map(|(_, last)| last)
            .filter(|last| *last == "example"),
    }
}

/// The registrable domain of a web address, in the form of the DNS.
pub fn domain_of_url(url: &str) -> Option<String> {
    let url = parse_web_url(url).ok()?;
    Some(registrable_domain(url.host_str()?).to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a relative path or an absolute http or https URL")]
pub struct InvalidLogoPath;

/// Accepts a path on the reader's own host, or an absolute web address. On a page, such an address
/// cannot run as a script, or lead to another host unnoticed.
pub fn check_logo_path(text: &str) -> Result<(), InvalidLogoPath> {
    let first_segment = text.split(['/', '?', '#']).next().unwrap_or_default();
    // Browsers treat a backslash as a slash, and drop tabs and line breaks.
    let is_relative = !first_segment.contains(':')
        && !text.starts_with("//")
        && !text.contains(|c: char| c == '\\' || c.is_control());
    if is_relative || check_web_url(text).is_ok() {
        Ok(())
    } else {
        Err(InvalidLogoPath)
    }
}

/// Decodes percent-encoded unreserved characters and uppercases other escapes (RFC 3986 §6.2.2.1,
/// §6.2.2.2).
fn decode_unreserved(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        normal.push_str(&rest[..at]);
        let encoded = &rest[at..];
        let octet = encoded
            .get(1..3)
            .filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let Some(octet) = octet {
            if octet.is_ascii_alphanumeric() || b"-._~".contains(&octet) {
                normal.push(char::from(octet));
            } else {
                normal.push_str(&encoded[..3].to_ascii_uppercase());
            }
            rest = &encoded[3..];
        } else {
            normal.push_str("%25");
            rest = &encoded[1..];
        }
    }
    normal.push_str(rest);
    normal
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    const KEYS: &str = "
        HTTPS://WWW.Example.COM example.com
        http://example.com/ example.com
        https://www.com www.com
        https://www.co.uk/a co.uk/a
        https://example.com/Jobs example.com/Jobs
        https://BÜCHER.example xn--bcher-kva.example
        http://example.com:80/ example.com
        https://example.com:443 example.com
        https://www.example.com:8443 example.com:8443
        https://example.com/a/./b/../c example.com/a/c
        https://example.com/%2e%2E/a example.com/a
        https://example.com/%7ejobs/%41%2f%c3%a9 example.com/~jobs/A%2F%C3%A9
        https://example.com/é example.com/%C3%A9
        https://example.com/100% example.com/100%25
        https://example.com/?q=%7e%2f example.com?q=~%2F
        https://example.com/#about example.com
        https://example.com/jobs/ example.com/jobs
        https://example.com// example.com
        https://example.com/? example.com
        https://example.com/?a=b/ example.com?a=b/
        https://example.com/?b=1&utm_source=x&a=2&UTM_Medium=y example.com?b=1&a=2
        https://example.com/jobs?gh_src=abc&gclid=1&fbclid=2 example.com/jobs
        https://example.com/?utm=1&source=2 example.com?utm=1&source=2
        https://b.example/#/acme b.example#/acme
        https://b.example/en/#!jobs/%7Eacme/ b.example/en#!jobs/~acme
        https://b.example?a=b#/é% b.example?a=b#/%C3%A9%25
        https://b.example/#about/acme b.example
        https://b.example/o'r?q='<`># b.example/o%27r?q=%27%3C%60%3E
        https://b.example/# b.example";

    #[test]
    fn an_address_has_one_key() {
        for line in KEYS.trim().lines() {
            let (text, expect) = line.trim().split_once(' ').unwrap();
            let key = WebsiteKey::parse(text).map(|key| key.0);
            assert_eq!(key.as_deref(), Ok(expect), "{text}");
            assert_eq!(Website::parse(text).unwrap().key().0, expect, "{text}");
        }
        let careers = "https://acme.example http://acme.example https://www.acme.example/ \
                       https://acme.example/?gh_src=abc https://ACME.example:443#jobs";
        let keys = careers.split_whitespace().map(WebsiteKey::parse);
        let keys: HashSet<_> = keys.map(Result::unwrap).collect();
        assert_eq!(keys.len(), 1);
    }

    #[test]
    fn a_key_has_a_domain_and_segments() {
        for (text, host, domain, segments) in [
            ("https://acme.example", "acme.example", "acme.example", ""),
            (
                "https://jobs.acme.co.uk:81/a/b?c=/d",
                "jobs.acme.co.uk",
                "acme.co.uk",
                "a b",
            ),
            (
                "https://b.example/#!/acme",
                "b.example",
                "b.example",
                "acme",
            ),
            (
                "https://acme.github.io/x",
                "acme.github.io",
                "acme.github.io",
                "x",
            ),
            ("https://[::1]:80/x", "[::1]", "[::1]", "x"),
            ("https://[::1]/x", "[::1]", "[::1]", "x"),
        ] {
            let key = WebsiteKey::parse(text).unwrap();
            assert_eq!((key.host(), key.domain()), (host, domain), "{text}");
            let found: Vec<_> = key.segments().collect();
            assert_eq!(found.join(" "), segments, "{text}");
        }
    }

    #[test]
    fn what_is_no_absolute_web_url_is_refused() {
        let texts = "|example.com|www.example.com/jobs|/jobs|//example.com|ftp://example.com|\
            mailto:a@example.com|javascript:alert(1)|https:example.com|https:/example.com|\
            https:///example.com|https://|https://exa mple.com|https://example.com/a b|\
            https://example.com\\a|https://example.com:99999|https://[::1|https://exa\tmple.com";
        for text in texts.split('|') {
            let malformed = InvalidWebUrl::Malformed;
            assert_eq!(check_web_url(text), Err(malformed), "{text}");
            assert_eq!(Website::parse(text), Err(malformed), "{text}");
        }
    }

    #[test]
    fn user_information_is_refused_and_of_a_website_dropped() {
        let texts = "https://user:pw@evil.example/phish|https://user@evil.example|\
            https://bank.example%20@evil.example|http://@evil.example|\
            https://:@evil.example?a|https://a@b@evil.example#c";
        for text in texts.split('|') {
            let hidden = InvalidWebUrl::UserInformation;
            assert_eq!(check_web_url(text), Err(hidden), "{text}");
            let website = Website::parse(text).unwrap();
            let bare = website.as_str().split_once("://").unwrap().1;
            assert!(bare.starts_with("evil.example"), "{website}");
            assert_eq!(website.key().host(), "evil.example");
            assert_eq!(WebsiteKey::parse(text), Ok(website.key()));
        }
        for place in ["/@ann", "?mail=a@b.example", "#a@b"] {
            let text = format!("https://acme.example{place}");
            assert_eq!(check_web_url(&text), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_registrable_domain_is_one_that_can_be_registered() {
        for (url, domain) in [
            ("https://jobs.acme.co.uk/1", Some("acme.co.uk")),
            ("https://ACME.example", Some("acme.example")),
            ("https://a.github.io/x", Some("a.github.io")),
            ("https://www.bücher.example", Some("xn--bcher-kva.example")),
            ("http://10.0.0.1:80/", Some("10.0.0.1")),
            ("http://[::1]/", Some("[::1]")),
            ("http://localhost/", Some("localhost")),
            ("acme", None),
        ] {
            assert_eq!(domain_of_url(url).as_deref(), domain, "{url}");
        }
        let of_mail = crate::email::domain_of("jobs@Mail.Acme.example");
        assert_eq!(of_mail.as_deref(), Some("acme.example"));
    }

    #[test]
    fn what_ends_an_attribute_is_encoded() {
        for (text, expect) in [
            ("https://a.example/x?y=%22#z", "https://a.example/x?y=%22#z"),
            ("/a b.png", "/a%20b.png"),
            (
                "https://a.example/\"'><b>`é",
                "https://a.example/%22%27%3E%3Cb%3E%60é",
            ),
        ] {
            let mut address = text.to_owned();
            encode_markup(&mut address);
            assert_eq!(address, expect);
            encode_markup(&mut address);
            assert_eq!(address, expect, "once");
        }
    }

    #[test]
    fn a_logo_is_on_the_own_host_or_on_the_web() {
        let texts = "l.svg|/l.svg|./logos/ü 1.png?v=2:3#x|../l.svg|logos/a:b.png|/|\
            https://acme.example/l.svg|HTTP://acme.example/l.svg";
        for text in texts.split('|') {
            assert_eq!(check_logo_path(text), Ok(()), "{text}");
        }
        let texts = "javascript:alert(1)|JavaScript:alert(1)|data:image/svg+xml,<svg/>|\
            //evil.example/x.svg|///evil.example/x.svg|\\\\evil.example\\x.svg|\
            /\\evil.example/x.svg|/\t/evil.example/x.svg|java\nscript:alert(1)|C:\\logo.png|\
            ftp://acme.example/l.svg|https:evil.example|https:/evil.example|\
            https://a@evil.example/l.svg|:a";
        for text in texts.split('|') {
            assert_eq!(check_logo_path(text), Err(InvalidLogoPath), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_key_is_its_own(
            text in "(?i:https?)://[a-zA-Z0-9]{1,8}(\\.[a-zA-Z]{2,5}){1,2}(:[0-9]{2,4})?(/[ -~é]{0,6}|/\\.\\.?|/%[0-9a-fA-F]{2}){0,5}/{0,2}(\\?[a-z=%/0-9]{0,9})?(#[/!]?[ -~é]{0,4})?"
        ) {
            if let Ok(once) = WebsiteKey::parse(&text) {
                // A key without its scheme may keep a port that is another scheme's default.
                let scheme = text.split("://").next().unwrap();
                let again = format!("{scheme}://{}", once.as_str());
                prop_assert_eq!(WebsiteKey::parse(&again), Ok(once));
            }
        }
    }
}
