use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::bodies::{COMPANIES, TAILS, Tail};
use crate::cpu::Watched;
use crate::measure::{Measurement, Scenario};
use xtask::process::Interrupt;

const SCRIPT: &str = include_str!("load.lua");

pub struct Load<'run> {
    pub wrk: &'run Path,
    pub folder: &'run Path,
    pub interrupt: &'run Interrupt,
    pub address: SocketAddr,
    pub token: &'run str,
    pub seeds: u64,
    pub watched: Watched,
}

impl Load<'_> {
    /// Warms up, checking every answer, then measures. Returns both results. `tag` must be new.
    pub fn measure(
        &self,
        scenario: Scenario,
        connections: u32,
        seconds: u64,
        tag: &str,
    ) -> Result<(Measurement, Measurement)> {
        let warm_up = self.run(scenario, connections, 1, &format!("{tag}w"), true)?;
        let before = self.watched.used()?;
        let mut measured = self.run(scenario, connections, seconds, tag, false)?;
        measured.cpu = self.watched.used()?.since(before, measured.requests);
        measured.faults.extend(warm_up.faults.iter().cloned());
        Ok((measured, warm_up))
    }

    fn run(
        &self,
        scenario: Scenario,
        connections: u32,
        seconds: u64,
        tag: &str,
        check: bool,
    ) -> Result<Measurement> {
        let script = self.folder.join("load.lua");
        fs::write(&script, self.script(scenario, tag, check))?;
        let mut command = Command::new(self.wrk);
        command
            .args(["--threads", "1", "--timeout", "10s"])
            .args(["--connections", &connections.to_string()])
            .args(["--duration", &format!("{seconds}s")])
            .arg("--script")
            .arg(&script)
            .arg(format!("http://{}", self.address));
        let output = self.interrupt.output(&mut command)?;
        parse(&output).with_context(|| format!("wrk did not report:\n{output}"))
    }

    fn script(&self, scenario: Scenario, tag: &str, check: bool) -> String {
        // Different tags must give different values. Any number derived from the tag works.
        let shift = tag
            .bytes()
            .fold(7_u64, |sum, byte| (sum * 31 + u64::from(byte)) % 1_000_000);
        format!(
            "local TAILS = dofile('{}')\nlocal COMPANIES, SEEDS, SHIFT = {COMPANIES}, {}, {shift}\n\
             local SCENARIO, RUN, CHECK = '{}', '{tag}', {check}\n\
             local HOST, TOKEN = '{}', '{}'\n{SCRIPT}",
            self.folder.join("tails.lua").display(),
            self.seeds,
            scenario.name(),
            self.address,
            self.token,
        )
    }
}

pub fn write_tails(folder: &Path) -> Result<()> {
    let mut lua = "return {\n".to_owned();
    for n in 0..TAILS {
        let _ = writeln!(lua, "[==[{}]==],", Tail::new(n).json());
    }
    lua.push_str("}\n");
    fs::write(folder.join("tails.lua"), lua)?;
    Ok(())
}

fn parse(output: &str) -> Result<Measurement> {
    let line = output
        .lines()
        .find_map(|line| line.strip_prefix("RESULT "))
        .context("no result")?;
    let text = |name: &str| {
        line.split_whitespace()
            .filter_map(|pair| pair.split_once('='))
            .find_map(|(key, value)| (key == name).then_some(value))
            .with_context(|| format!("no {name}"))
    };
    let number = |name: &str| -> Result<f64> { Ok(text(name)?.parse()?) };
    let mut faults = Vec::new();
    for name in ["connect", "read", "write", "timeout", "refused"] {
        let count = number(name)?;
        if count > 0.0 {
            faults.push(format!("{count} {name}"));
        }
    }
    let unexpected = number("unexpected")?;
    if unexpected > 0.0 {
        let status = text("status")?;
        faults.push(format!("{unexpected} unexpected answers, first {status}"));
    }
    let (requests, seconds) = (number("requests")?, number("us")? / 1e6);
    if requests < 1.0 {
        bail!("no request was answered: {}", faults.join(", "));
    }
    Ok(Measurement {
        requests,
        seconds,
        p50: Some(number("p50")? / 1e3),
        p99: Some(number("p99")? / 1e3),
        faults,
        ..Measurement::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_is_read_with_its_faults() {
        let output = "Running 2s test\nRESULT requests=300 us=2000000 p50=150 p99=900 max=1000 \
            connect=0 read=2 write=0 timeout=0 refused=7 unexpected=5 status=422\n";
        let faults = ["2 read", "7 refused", "5 unexpected answers, first 422"];
        let expected = Measurement {
            requests: 300.0,
            seconds: 2.0,
            p50: Some(0.15),
            p99: Some(0.9),
            faults: faults.map(str::to_owned).into(),
            ..Measurement::default()
        };
        assert_eq!(parse(output).unwrap(), expected);
        assert!(parse(&output.replace("requests=300", "requests=0")).is_err());
        assert!(parse("unable to connect").is_err());
    }
}
