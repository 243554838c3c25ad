//! Options of the operators' console.

use std::net::IpAddr;

use adapters_console::TrustedProxy;
use clap::Args;
use secrecy::SecretString;

use crate::{
    config::{self, AdminBind, DEFAULT_CONSOLE},
    misconfigured::Misconfigured,
};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Console")]
pub struct ConsoleUrlArgs {
    /// Address and port of the operators' console, or `off`. Default: 127.0.0.1:8081, unless
    /// somebody else listens there
    #[arg(
        long,
        value_name = "ADDR:PORT",
        env = "POSTHASTE_CONSOLE_BIND",
        value_parser = config::console_bind
    )]
    console_bind: Option<AdminBind>,

    /// The address of the console for links; with `https`, cookies are for `https` alone.
    /// Default: `http://` and the address that is listened on
    #[arg(
        long,
        value_name = "URL",
        env = "POSTHASTE_CONSOLE_URL",
        value_parser = config::console_url
    )]
    console_url: Option<String>,
}

impl ConsoleUrlArgs {
    /// The address to listen on.
    pub fn bind(&self) -> AdminBind {
        self.console_bind
            .unwrap_or(AdminBind::IfFree(DEFAULT_CONSOLE))
    }

    /// The address for links, if it is set.
    pub fn url(&self) -> Option<String> {
        self.console_url.clone()
    }

    /// The address of a console of another process; `None` if it is off.
    pub fn address(&self) -> Option<String> {
        let bound = match self.bind() {
            AdminBind::Off => None,
            AdminBind::IfFree(address) | AdminBind::At(address) => Some(address),
        };
        self.url()
            .or_else(|| bound.map(|address| format!("http://{address}")))
    }
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Console")]
pub struct ConsoleArgs {
    #[command(flatten)]
    pub place: ConsoleUrlArgs,

    /// The header in which a trusted proxy names the signed-in operator. Honoured from
    /// `--console-proxies` with `--console-proxy-secret` alone
    #[arg(
        long = "console-user-header",
        value_name = "HEADER",
        env = "POSTHASTE_CONSOLE_USER_HEADER",
        value_parser = config::header_name
    )]
    user_header: Option<String>,

    /// The addresses of trusted proxies, comma-separated
    #[arg(
        long = "console-proxies",
        value_name = "ADDR",
        env = "POSTHASTE_CONSOLE_PROXIES",
        value_delimiter = ',',
        value_parser = config::proxy
    )]
    proxies: Vec<IpAddr>,

    /// What a trusted proxy sends as `Posthaste-Proxy-Secret`
    #[arg(
        long = "console-proxy-secret",
        value_name = "SECRET",
        env = "POSTHASTE_CONSOLE_PROXY_SECRET",
        hide_env_values = true,
        allow_hyphen_values = true,
        value_parser = config::proxy_secret
    )]
    proxy_secret: Option<SecretString>,
}

impl ConsoleArgs {
    /// The proxy that signs operators in, if there is one.
    pub fn proxy(&self) -> Result<Option<TrustedProxy>, Misconfigured> {
        let Some(user_header) = self.user_header.clone() else {
            return Ok(None);
        };
        let needed = |variable: &str, what: &str| {
            Misconfigured(format!(
                "{variable}: is needed with POSTHASTE_CONSOLE_USER_HEADER: {what}"
            ))
        };
        if self.proxies.is_empty() {
            let what = "the addresses of the proxy that sends it";
            return Err(needed("POSTHASTE_CONSOLE_PROXIES", what));
        }
        let secret = self.proxy_secret.clone().ok_or_else(|| {
            let what = "what the proxy sends as Posthaste-Proxy-Secret";
            needed("POSTHASTE_CONSOLE_PROXY_SECRET", what)
        })?;
        Ok(Some(TrustedProxy {
            user_header,
            addresses: self.proxies.clone(),
            secret,
        }))
    }
}
