//! Defects that the simulation has to find: guards, checks of leases, versions, overlaps and
//! authority, withdrawals and deduplication, each taken out alone.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use xtask::process::{Interrupt, cargo};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The seeds that a mutant has to be found within.
const SEEDS: &str = "2000";

/// A defect.
struct Mutant {
    name: &'static str,
    file: &'static str,
    /// What stands there.
    find: &'static str,
    /// What the mutant has in its place.
    replace: &'static str,
}

const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "a client reopens what an operator took down",
        file: "crates/domain/src/authority.rs",
        find: "    posting.moderated && !posting.status.is_open()",
        replace: "    false",
    },
    Mutant {
        name: "a client names the company of another",
        file: "crates/domain/src/authority.rs",
        find: "        self.required_owner().is_none() || self.required_owner() == company.owner",
        replace: "        true",
    },
    Mutant {
        name: "two clients make a company at the same time",
        file: "crates/domain/src/company.rs",
        find: "self.required_owner.is_some() && self.required_owner != stored.owner",
        replace: "false",
    },
    Mutant {
        name: "a line of an import leaves the fence",
        file: "crates/domain/src/import/line.rs",
        find: "        prefixes.check(identifier)?;",
        replace: "        let _ = (prefixes, identifier);",
    },
    Mutant {
        name: "a push overtakes one that is tried again",
        file: "crates/ingest/src/keyed_queue.rs",
        find: "        self.behind.contains_key(key)",
        replace: "        false && self.behind.contains_key(key)",
    },
    Mutant {
        name: "a push overtakes one whose commit is under way",
        file: "crates/ingest/src/lane/in_flight.rs",
        find: "(self.postings.contains(&job.put.identifier) || self.writes_any(companies))",
        replace: "self.writes_any(companies)",
    },
    Mutant {
        name: "a push overtakes one that was left",
        file: "crates/ingest/src/lane/task.rs",
        find: "        !self.postings.is_empty() && self.postings.contains(&job.put.identifier)",
        replace: "        self.postings.is_empty() && self.postings.contains(&job.put.identifier)",
    },
    Mutant {
        name: "a commit minds no version",
        file: "crates/domain/src/testing/memory/mod.rs",
        find: "                .is_some_and(|row| row.posting.version == version),",
        replace: "                .is_some(),",
    },
    Mutant {
        name: "two processes deliver to one endpoint",
        file: "crates/webhooks/src/testing/memory.rs",
        find: "            until <= now || (self.holder.is_none()",
        replace: "            self.holder.is_some() || until <= now || (self.holder.is_none()",
    },
    Mutant {
        name: "a verdict on old content counts",
        file: "crates/domain/src/decision/outcome.rs",
        find: "    if due(posting, company) != Some(content) {",
        replace: "    if due(posting, company).is_none() {",
    },
    Mutant {
        name: "a task for which there is no work is not done",
        file: "crates/domain/src/usecase/enrich.rs",
        find: "            None => writes.tasks.done.push(token),",
        replace: "            None => {}",
    },
    Mutant {
        name: "a catalogue drops what it lists",
        file: "crates/domain/src/catalogue/roster.rs",
        find: "if let Some((word, bit)) = self.place(identifier)",
        replace: "if let Some((word, bit)) = self.place(identifier).filter(|_| false)",
    },
    Mutant {
        name: "a catalogue keeps what it does not list",
        file: "crates/domain/src/catalogue/roster.rs",
        find: "is_some_and(|word| word & bit == 0))",
        replace: "is_some_and(|word| word & bit == 0 && bit == 0))",
    },
    Mutant {
        name: "a crawl that stops early is whole",
        file: "crates/domain/src/import/proof.rs",
        find: "            said if said != came =>",
        replace: "            said if said < came =>",
    },
    Mutant {
        name: "a body without the end that it needs is whole",
        file: "crates/domain/src/import/proof.rs",
        find: "        if requires_end && !self.has_end {",
        replace: "        if requires_end && self.has_end {",
    },
    Mutant {
        name: "a catalogue counts one miss too many",
        file: "crates/domain/src/catalogue/patience.rs",
        find: "misses.saturating_add(1)",
        replace: "misses.saturating_add(2)",
    },
    Mutant {
        name: "a catalogue counts one miss too few",
        file: "crates/domain/src/catalogue/patience.rs",
        find: "        if misses >= self.0 {",
        replace: "        if misses > self.0 {",
    },
    Mutant {
        name: "an import that is held back counts what it misses",
        file: "crates/domain/src/catalogue/mod.rs",
        find: "self.summary.missing.is_some_and(|missing| !missing.held)",
        replace: "self.summary.missing.is_some()",
    },
    Mutant {
        name: "an import that names nothing is not held back",
        file: "crates/domain/src/catalogue/roster.rs",
        find: "(are_many || missing == had)",
        replace: "are_many",
    },
    Mutant {
        name: "a commit minds no lease of a catalogue",
        file: "crates/domain/src/testing/memory/mod.rs",
        find: "writes.import.is_none_or(|lease| self.holds_import(lease))",
        replace: "writes.import.is_none_or(|lease| self.holds_import(lease) || true)",
    },
    Mutant {
        name: "an undo has no lease",
        file: "crates/domain/src/usecase/catalogue.rs",
        find: "    writes.import = Some(lease);",
        replace: "",
    },
    Mutant {
        name: "an undo takes back what somebody has touched",
        file: "crates/domain/src/decision/lapse.rs",
        find: "        && posting.updated_by == Some(Actor::Catalogue(name.clone()))",
        replace: "",
    },
    Mutant {
        name: "an undo takes back what earlier imports expired",
        file: "crates/domain/src/testing/memory/catalogues.rs",
        find: "row.expiring == Some(*import);",
        replace: "row.expiring.is_some() && !import.is_nil();",
    },
    Mutant {
        name: "an undo resets no miss",
        file: "crates/domain/src/testing/memory/catalogues.rs",
        find: "            row.counted = None;",
        replace: "",
    },
    Mutant {
        name: "an event overtakes an earlier one that waits",
        file: "crates/webhooks/src/round.rs",
        find: "if subjects.contains(&event.event.subject.id()) {",
        replace: "if behind.is_empty() && behind.contains(&event.event.subject.id()) {",
    },
    Mutant {
        name: "events of a subject are on their way together",
        file: "crates/webhooks/src/round.rs",
        find: "        self.blocked.insert(item.subject);",
        replace: "        self.blocked.remove(&item.subject);",
    },
    Mutant {
        name: "an account keeps who left the other",
        file: "crates/newsletter/src/store.rs",
        find: "!is_of_withdrawal && subscriber.unconfirmed_suppressions().next().is_some()",
        replace: "false",
    },
];

/// Tries the mutants whose names contain a text, each on a copy of the tree, and prints which are
/// found.
pub fn run(named: &str) -> Result<()> {
    let interrupt = Interrupt::install()?;
    let root = Path::new(ROOT);
    let copy = root.join("target/mutants/tree");
    let mut git = Command::new("git");
    let files = git.arg("ls-files").current_dir(root).output()?;
    for file in String::from_utf8(files.stdout)?.lines() {
        let to = copy.join(file);
        fs::create_dir_all(to.parent().unwrap_or(&copy))?;
        // A file that is as it was is not compiled again.
        let text = fs::read(root.join(file)).with_context(|| format!("cannot read {file}"))?;
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::write(&to, text)?;
        }
    }
    let mut missed = Vec::new();
    for mutant in MUTANTS.iter().filter(|mutant| mutant.name.contains(named)) {
        println!("\n=== {}", mutant.name);
        let text = fs::read_to_string(copy.join(mutant.file))?;
        fs::write(copy.join(mutant.file), mutant.of(&text)?)?;
        let tests = |arguments: &[&str]| {
            let mut tests = cargo();
            tests
                .args(["test", "--package", "simulation", "--test", "seeds"])
                .args(arguments)
                .current_dir(&copy)
                .env("CARGO_TARGET_DIR", root.join("target/mutants/target"))
                .env("POSTHASTE_SEEDS", SEEDS);
            interrupt.run(&mut tests)
        };
        let built = tests(&["--no-run"]);
        let found = built.is_ok() && tests(&["--", "nothing_is_lost"]).is_err();
        fs::write(copy.join(mutant.file), text)?;
        built?;
        interrupt.check()?;
        println!(
            "--- {}: {}",
            if found { "found" } else { "NOT FOUND" },
            mutant.name
        );
        if !found {
            missed.push(mutant.name);
        }
    }
    if !missed.is_empty() {
        bail!("not found: {}", missed.join("; "));
    }
    Ok(())
}

impl Mutant {
    /// The text of its file with the defect.
    fn of(&self, text: &str) -> Result<String> {
        if text.matches(self.find).count() != 1 {
            bail!("{}: {} is not what it was", self.name, self.file);
        }
        Ok(text.replace(self.find, self.replace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_can_be_made() {
        for mutant in MUTANTS {
            let text = fs::read_to_string(Path::new(ROOT).join(mutant.file)).unwrap();
            mutant.of(&text).unwrap();
        }
    }
}
