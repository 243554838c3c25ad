use adapters_console::{Console, Ports, Settings};
use adapters_http::{Hosts, Timeouts};

use super::{
    exposure,
    listener::{self, Listener, Running},
};
use crate::args::{ConsoleArgs, WorkArgs};

const LISTENER: Listener = Listener {
    what: "console",
    variable: "POSTHASTE_CONSOLE_BIND",
    option: "--console-bind",
};

pub struct ConsoleServer {
    pub url: String,
    pub running: Running,
}

impl ConsoleServer {
    pub fn start(
        args: &ConsoleArgs,
        work: &WorkArgs,
        ports: Ports,
    ) -> anyhow::Result<Option<Self>> {
        let Some(listener) = listener::bind(args.place.bind(), &LISTENER)? else {
            return Ok(None);
        };
        let (url, proxy) = (args.place.console_url.clone(), args.proxy()?);
        let url = url.unwrap_or_else(|| format!("http://{}", listener.addr()));
        exposure::warn_of_console(&url, listener.addr(), proxy.is_some());
        let settings = Settings {
            url: url.clone(),
            proxy,
            has_newsletter: work.accounts.settings().has_account(),
            kinds: workers::kinds(),
        };
        let console = Console::new(ports, settings);
        let application = listener.serve_pages(
            move |routes| console.configure(routes),
            Hosts::of_url(&url),
            Timeouts::default(),
        )?;
        let running = Running::start(application, &LISTENER);
        tracing::info!("the console is at {url}");
        Ok(Some(Self { url, running }))
    }
}
