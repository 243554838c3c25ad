//! E-mail addresses by the HTML standard's rule.

use std::borrow::Cow;

use crate::website::registrable_domain;

/// The longest local part, in bytes (RFC 5321 §4.5.3.1.1).
const LOCAL: usize = 64;

/// The longest domain, in bytes (RFC 5321 §4.5.3.1.2).
const DOMAIN: usize = 255;

/// The longest label of a domain, in bytes (RFC 1034 §3.5).
const LABEL: usize = 63;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<'a> {
    pub local: &'a str,
    /// Internationalised domains in the form of the DNS (IDNA).
    pub domain: Cow<'a, str>,
}

impl Parts<'_> {
    /// Whether a mail server accepts the local part unquoted: no dot is first, last or next to
    /// another dot (RFC 5321 §4.1.2).
    pub fn is_dot_string(&self) -> bool {
        self.local.split('.').all(|atom| !atom.is_empty())
    }
}

/// Splits an address; `None` unless it is a "valid email address" of the HTML standard, which
/// browsers apply to forms. An internationalised domain is checked as browsers send it.
pub fn parts(text: &str) -> Option<Parts<'_>> {
    let (local, domain) = text.split_once('@')?;
    if !(1..=LOCAL).contains(&local.len()) || !local.bytes().all(is_local) {
        return None;
    }
    let domain = if domain.is_ascii() {
        Cow::Borrowed(domain)
    } else {
        idna::domain_to_ascii_cow(domain.as_bytes(), idna::AsciiDenyList::URL).ok()?
    };
    let is_domain = domain.len() <= DOMAIN && domain.split('.').all(is_label);
    is_domain.then_some(Parts { local, domain })
}

pub fn domain_of(text: &str) -> Option<String> {
    let domain = parts(text)?.domain.to_ascii_lowercase();
    Some(registrable_domain(&domain).to_owned())
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte)
}

fn is_label(label: &str) -> bool {
    (1..=LABEL).contains(&label.len())
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_of_the_html_standard_holds() {
        let (local, label) = ("a".repeat(64), "b".repeat(63));
        let valid = "a@b|a@b.example|.a@b.example|\
            a..b@c.example|a@bücher.example|a@xn--bcher-kva.example|a@1.2.3.4";
        for address in valid.split('|').chain([
            "o'neil+jobs!#$%&*/=?^_`{|}~-@b-c.example",
            &*format!("{local}@{label}.example"),
        ]) {
            assert!(parts(address).is_some(), "{address}");
        }
        let wrong = "|a|a@|@b.example|a b@c.example|\"a b\"@c.example|a@b@c.example|\
            a@b..example|a@b.example.|a@.b.example|a@-b.example|a@b-.example|a@b_c.example|\
            a@[127.0.0.1]|a@[IPv6:::1]|ä@b.example|a@b\u{202e}.example|a@bü cher.example";
        for address in wrong.split('|').chain([
            &*format!("a{local}@b.example"),
            &format!("a@b{label}.example"),
            &format!("a@{}b", "b.".repeat(128)),
        ]) {
            assert_eq!(parts(address), None, "{address}");
        }
    }

    #[test]
    fn an_internationalised_domain_is_what_the_dns_knows() {
        let domain = |address| parts(address).unwrap().domain.into_owned();
        assert_eq!(domain("a@BÜCHER.example"), "xn--bcher-kva.example");
        assert_eq!(domain("a@Example.COM"), "Example.COM");
    }

    #[test]
    fn dots_are_between_atoms() {
        let is_dot_string = |address| parts(address).unwrap().is_dot_string();
        assert!(is_dot_string("a.b.c@d.example"));
        for address in [".a@b.example", "a.@b.example", "a..b@c.example"] {
            assert!(!is_dot_string(address), "{address}");
        }
    }
}
