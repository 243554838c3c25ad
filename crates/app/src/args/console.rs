use std::net::IpAddr;

use adapters_console::TrustedProxy;
use clap::Args;
use secrecy::SecretString;

use super::values::{AdminBind, admin_bind, root_url};
use crate::misconfigured::Misconfigured;

const DEFAULT_PORT: u16 = 8081;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Console")]
pub struct ConsoleUrlArgs {
    /// Address and port of the operators' console, or `off`. Default: 127.0.0.1:8081, unless
    /// another program listens there
    #[arg(long, value_name = "ADDR:PORT", value_parser = admin_bind)]
    console_bind: Option<AdminBind>,

    /// The address of the console for links; with `https`, cookies are only for `https`. Default:
    /// `http://` and the address of the listener
    #[arg(
        long,
        value_name = "URL",
        value_parser = root_url("the console is at the root of its host")
    )]
    pub console_url: Option<String>,
}

impl ConsoleUrlArgs {
    pub fn bind(&self) -> AdminBind {
        self.console_bind
            .unwrap_or_else(|| AdminBind::if_free(DEFAULT_PORT))
    }

    /// The console's address in another process; `None` if it is off.
    pub fn address(&self) -> Option<String> {
        let bound = match self.bind() {
            AdminBind::Off => None,
            AdminBind::IfFree(address) | AdminBind::At(address) => Some(address),
        };
        let bound = bound.map(|address| format!("http://{address}"));
        self.console_url.clone().or(bound)
    }
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Console")]
pub struct ConsoleArgs {
    #[command(flatten)]
    pub place: ConsoleUrlArgs,

    /// The header in which a trusted proxy names the operator; needs `--console-proxies` and
    /// `--console-proxy-secret`
    #[arg(long, value_name = "HEADER", value_parser = header_name)]
    console_user_header: Option<String>,

    /// The addresses of trusted proxies, comma-separated
    #[arg(long, value_name = "ADDR", value_delimiter = ',', value_parser = proxy)]
    console_proxies: Vec<IpAddr>,

    /// The secret that a trusted proxy sends as `Posthaste-Proxy-Secret`
    #[arg(long, value_name = "SECRET", value_parser = proxy_secret)]
    console_proxy_secret: Option<SecretString>,
}

impl ConsoleArgs {
    pub fn proxy(&self) -> Result<Option<TrustedProxy>, Misconfigured> {
        let Some(user_header) = self.console_user_header.clone() else {
            return Ok(None);
        };
        let needed = |variable: &str, what: &str| {
            Misconfigured(format!(
                "{variable}: is needed with POSTHASTE_CONSOLE_USER_HEADER: {what}"
            ))
        };
        if self.console_proxies.is_empty() {
            let what = "the addresses of the proxy that sends it";
            return Err(needed("POSTHASTE_CONSOLE_PROXIES", what));
        }
        let secret = self.console_proxy_secret.clone().ok_or_else(|| {
            let what = "what the proxy sends as Posthaste-Proxy-Secret";
            needed("POSTHASTE_CONSOLE_PROXY_SECRET", what)
        })?;
        Ok(Some(TrustedProxy {
            user_header,
            addresses: self.console_proxies.clone(),
            secret,
        }))
    }
}

fn header_name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if text.is_empty() || text.len() > 100 || !text.bytes().all(is_token) {
        return Err(format!(
            "{text:?} is not the name of a header, such as X-Forwarded-User"
        ));
    }
    Ok(text.to_ascii_lowercase())
}

fn proxy(text: &str) -> Result<IpAddr, String> {
    let address: Result<IpAddr, _> = text.trim().parse();
    address
        .map(|address| address.to_canonical())
        .map_err(|_| format!("{text:?} is not an IP address"))
}

fn proxy_secret(text: &str) -> Result<SecretString, String> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("must be printable ASCII without spaces".to_owned());
    }
    Ok(text.into())
}

#[cfg(test)]
mod tests {
    use super::{super::values::tests::check, *};

    #[test]
    fn headers_and_proxies() {
        check(
            header_name,
            r#"
            X-Forwarded-User  | "x-forwarded-user"
            a b               ! "a b" is not the name of a header
                              ! "" is not the name of a header
            "#,
        );
        check(
            proxy,
            r#"
            10.0.0.7         | 10.0.0.7
            ::ffff:10.0.0.7  | 10.0.0.7
            proxy.local      ! "proxy.local" is not an IP address
            "#,
        );
    }
}
