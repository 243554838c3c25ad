//! Named steps, run one after the other, with their times.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::tally::Tally;
use xtask::process::{Interrupt, shown};

/// What ran so far.
pub struct Steps {
    interrupt: Interrupt,
    done: Vec<(&'static str, Duration)>,
    tally: Tally,
}

impl Steps {
    /// Nothing ran yet.
    pub fn new(interrupt: Interrupt) -> Self {
        Self {
            interrupt,
            done: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Runs a step that is code of ours; its error carries the step's name.
    pub fn run<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&Interrupt) -> Result<T>,
    ) -> Result<T> {
        println!("\n=== {name}");
        self.timed(name, |steps| work(&steps.interrupt))
    }

    /// Runs a step that is one command.
    pub fn command(&mut self, name: &'static str, command: &mut Command) -> Result<()> {
        println!("\n=== {name}: {}", shown(command));
        self.timed(name, |steps| steps.interrupt.run(command))
    }

    /// Runs a step that is one command whose output tells how many tests ran.
    pub fn tests(&mut self, name: &'static str, command: &mut Command) -> Result<()> {
        println!("\n=== {name}: {}", shown(command));
        self.timed(name, |steps| {
            let tally = &mut steps.tally;
            steps
                .interrupt
                .run_reading(command, |line| *tally += Tally::of_line(line))
        })
    }

    /// Prints the time of every step, and the number of tests.
    pub fn summary(&self) {
        println!("\n=== summary");
        let width = self.done.iter().map(|(name, _)| name.len()).max();
        let width = width.unwrap_or_default();
        for (name, time) in &self.done {
            println!("{name:width$}  {:>7.1} s", time.as_secs_f64());
        }
        println!("{}", self.tally);
    }

    fn timed<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.interrupt.check()?;
        let start = Instant::now();
        let result = work(self).with_context(|| format!("step \"{name}\" failed"))?;
        let time = start.elapsed();
        println!("--- {name}: {:.1} s", time.as_secs_f64());
        self.done.push((name, time));
        Ok(result)
    }
}
