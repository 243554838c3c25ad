//! Has the simulation find defects that are made on purpose.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use xtask::process::{Interrupt, cargo};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The seeds that a mutant has to be found within.
const SEEDS: &str = "2000";

/// The defects, in `mutants.toml`.
#[derive(Deserialize)]
struct Mutants {
    mutant: Vec<Mutant>,
}

/// A defect.
#[derive(Deserialize)]
struct Mutant {
    name: String,
    file: String,
    find: String,
    replace: String,
}

/// Tries the mutants whose names contain a text, each on a copy of the tree, and prints the seed by
/// which each is found.
pub fn run(named: &str) -> Result<()> {
    let interrupt = Interrupt::install()?;
    let root = Path::new(ROOT);
    let copy = root.join("target/mutants/tree");
    let files = interrupt.output(Command::new("git").arg("ls-files").current_dir(root))?;
    for file in files.lines() {
        let to = copy.join(file);
        fs::create_dir_all(to.parent().unwrap_or(&copy))?;
        // A file that is as it was is not compiled again.
        let text = fs::read(root.join(file)).with_context(|| format!("cannot read {file}"))?;
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::write(&to, text)?;
        }
    }
    let mut missed = Vec::new();
    let mutants = Mutants::read()?.mutant.into_iter();
    for mutant in mutants.filter(|mutant| mutant.name.contains(named)) {
        let text = fs::read_to_string(copy.join(&mutant.file))?;
        fs::write(copy.join(&mutant.file), mutant.of(&text)?)?;
        let tests = |arguments: &[&str]| {
            let mut tests = cargo();
            tests
                .args(["test", "--package", "simulation", "--test", "seeds"])
                .args(["--profile", "seeds"])
                .args(arguments)
                .current_dir(&copy)
                .env("CARGO_TARGET_DIR", root.join("target/mutants/target"))
                .env("CARGO_INCREMENTAL", "1")
                .env("POSTHASTE_SEEDS", SEEDS);
            interrupt.output(&mut tests)
        };
        let built = tests(&["--no-run"]);
        let found = built.is_ok().then(|| tests(&["--", "nothing_is_lost"]));
        fs::write(copy.join(&mutant.file), text)?;
        built?;
        interrupt.check()?;
        let Some(Err(found)) = found else {
            println!("NOT FOUND: {}", mutant.name);
            missed.push(mutant.name);
            continue;
        };
        let found = found.to_string();
        let seed = found.split("POSTHASTE_SEED=").nth(1);
        let seed = seed.and_then(|rest| rest.split(' ').next());
        println!("{}: seed {}", mutant.name, seed.context(found.clone())?);
    }
    if !missed.is_empty() {
        bail!("not found: {}", missed.join("; "));
    }
    Ok(())
}

impl Mutants {
    fn read() -> Result<Self> {
        Ok(toml::from_str(include_str!("../mutants.toml"))?)
    }
}

impl Mutant {
    /// The text of its file with the defect.
    fn of(&self, text: &str) -> Result<String> {
        if text.matches(&self.find).count() != 1 {
            bail!("{}: {} is not what it was", self.name, self.file);
        }
        Ok(text.replace(&self.find, &self.replace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_can_be_made() {
        for mutant in Mutants::read().unwrap().mutant {
            let text = fs::read_to_string(Path::new(ROOT).join(&mutant.file)).unwrap();
            mutant.of(&text).unwrap();
        }
    }
}
