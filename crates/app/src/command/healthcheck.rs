use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use anyhow::{Context as _, bail};
use clap::Args;
use outbound::Timeouts;
use reqwest::StatusCode;
use url::Url;

use crate::{args::values, misconfigured::Misconfigured, output, text};

/// The time limit of the check. Supervisors often allow 5 seconds.
const TIMEOUT: Duration = Duration::from_secs(3);
/// How many bytes of an answer are read. It is one short line of JSON.
const LONGEST_ANSWER: usize = 4096;

/// Ask a running service whether it is ready; exit code 1 if not
#[derive(Debug, Args)]
pub struct Healthcheck {
    /// The service's address. Default: the address on this machine where `serve` listens with the
    /// same variables
    #[arg(long, value_name = "URL", value_parser = values::base_url)]
    url: Option<Url>,

    /// The address and port that `serve` listens on
    #[arg(
        long,
        value_name = "ADDR:PORT",
        env = "POSTHASTE_BIND",
        default_value = "127.0.0.1:8080",
        value_parser = values::bind
    )]
    bind: SocketAddr,
}

impl Healthcheck {
    pub async fn run(self) -> anyhow::Result<()> {
        let url = address(&self)?;
        let timeouts = Timeouts {
            connection: TIMEOUT,
            answer: TIMEOUT,
        };
        let client = outbound::client(&url, timeouts, 0)?;
        let answer = client.get(url.clone()).send().await;
        let mut answer = answer.with_context(|| format!("{url} does not answer"))?;
        let status = answer.status();
        if status == StatusCode::OK {
            output::print("ready")?;
            return Ok(());
        }
        let mut body = Vec::new();
        while body.len() < LONGEST_ANSWER
            && let Ok(Some(chunk)) = answer.chunk().await
        {
            body.extend_from_slice(&chunk);
        }
        body.truncate(LONGEST_ANSWER);
        let body = text::plain(&String::from_utf8_lossy(&body));
        bail!("{url} answers {status}: {body}");
    }
}

fn address(args: &Healthcheck) -> anyhow::Result<Url> {
    let base = match &args.url {
        Some(url) => url.clone(),
        None if args.bind.port() == 0 => {
            let why = "POSTHASTE_BIND: port 0 is any free one; name the service with --url";
            return Err(Misconfigured(why.to_owned()).into());
        }
        None => Url::parse(&format!("http://{}", reachable(args.bind)))?,
    };
    let base = outbound::base(&base).context("the address is not one of HTTP")?;
    Ok(base.join("readyz")?)
}

/// The address at which a service's own machine reaches it: loopback if it listens everywhere.
fn reachable(bind: SocketAddr) -> SocketAddr {
    let ip = match bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, bind.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_is_where_it_listens() {
        for (url, bind, expected) in [
            (None, "127.0.0.1:8080", "http://127.0.0.1:8080/readyz"),
            (None, "0.0.0.0:80", "http://127.0.0.1/readyz"),
            (None, "[::]:8080", "http://[::1]:8080/readyz"),
            (
                None,
                "[2001:db8::1]:8080",
                "http://[2001:db8::1]:8080/readyz",
            ),
            (
                Some("https://jobs.example.org"),
                "0.0.0.0:0",
                "https://jobs.example.org/readyz",
            ),
            (
                Some("http://proxy/board/"),
                "0.0.0.0:0",
                "http://proxy/board/readyz",
            ),
        ] {
            let args = Healthcheck {
                url: url.map(|url| url.parse().unwrap()),
                bind: bind.parse().unwrap(),
            };
            assert_eq!(address(&args).unwrap().as_str(), expected);
        }
        let any = Healthcheck {
            url: None,
            bind: "127.0.0.1:0".parse().unwrap(),
        };
        assert!(address(&any).unwrap_err().is::<Misconfigured>());
    }
}
