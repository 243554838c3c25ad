//! `POSTHASTE_CONSOLE_…`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4};

use secrecy::SecretString;

use super::{AdminBind, admin_bind, base_url};

/// Where the console listens unless said otherwise.
pub const DEFAULT_CONSOLE: SocketAddr =
    SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8081));

/// `POSTHASTE_CONSOLE_BIND`.
pub fn console_bind(text: &str) -> Result<AdminBind, String> {
    admin_bind(text)
}

/// `POSTHASTE_CONSOLE_URL`, without a slash at the end. The console is at the root of its host.
pub fn console_url(text: &str) -> Result<String, String> {
    let url = base_url(text)?;
    if url.path() != "/" {
        return Err("must have no path: the console is at the root of its host".to_owned());
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// `POSTHASTE_CONSOLE_USER_HEADER`.
pub fn header_name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if text.is_empty() || text.len() > 100 || !text.bytes().all(is_token) {
        return Err(format!(
            "{text:?} is not the name of a header, such as X-Forwarded-User"
        ));
    }
    Ok(text.to_ascii_lowercase())
}

/// One address of `POSTHASTE_CONSOLE_PROXIES`.
pub fn proxy(text: &str) -> Result<IpAddr, String> {
    let address: Result<IpAddr, _> = text.trim().parse();
    address
        .map(|address| address.to_canonical())
        .map_err(|_| format!("{text:?} is not an IP address"))
}

/// `POSTHASTE_CONSOLE_PROXY_SECRET`, which is sent as a header.
pub fn proxy_secret(text: &str) -> Result<SecretString, String> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("must be printable ASCII without spaces".to_owned());
    }
    Ok(text.into())
}

#[cfg(test)]
mod tests {
    use super::{super::tests::check, *};

    #[test]
    fn places_of_the_console() {
        check(
            console_url,
            &[
                (
                    "https://console.example/",
                    Ok("\"https://console.example\""),
                ),
                ("http://127.0.0.1:8081", Ok("\"http://127.0.0.1:8081\"")),
                ("https://a.example/console", Err("must have no path")),
                ("ftp://a.example", Err("must begin with http://")),
            ],
        );
        check(
            header_name,
            &[
                ("X-Forwarded-User", Ok("\"x-forwarded-user\"")),
                ("a b", Err("\"a b\" is not the name of a header")),
                ("", Err("\"\" is not the name of a header")),
            ],
        );
        check(
            proxy,
            &[
                (" 10.0.0.7", Ok("10.0.0.7")),
                ("::ffff:10.0.0.7", Ok("10.0.0.7")),
                ("proxy.local", Err("\"proxy.local\" is not an IP address")),
            ],
        );
    }
}
