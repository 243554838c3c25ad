use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use xtask::process::{Interrupt, cargo};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Each mutant must be found within this many seeds.
const SEEDS: &str = "2000";

const VARIABLE: &str = "POSTHASTE_MUTANT";

#[derive(Deserialize)]
struct Mutants {
    mutant: Vec<Mutant>,
}

#[derive(Deserialize)]
struct Mutant {
    name: String,
    file: String,
    find: String,
    replace: String,
}

/// Runs the mutants whose names contain a text, and prints the seed that finds each. All mutants
/// are in one build; an environment variable enables one of them.
pub fn run(named: &str) -> Result<()> {
    let interrupt = Interrupt::install()?;
    let mutants = Mutants::read()?.mutant;
    let folder = Path::new(ROOT).join("target/mutants");
    let copy = mutants_tree(&interrupt, &folder, &mutants)?;
    let tests = |arguments: &[&str], number: Option<usize>| {
        let mut tests = cargo();
        tests
            .args(["test", "--package", "simulation", "--test", "seeds"])
            .args(["--profile", "seeds"])
            .args(arguments)
            .current_dir(&copy)
            .env("CARGO_TARGET_DIR", folder.join("target"))
            .env_remove("POSTHASTE_SEED")
            .env("POSTHASTE_SEEDS", SEEDS)
            .envs(number.map(|number| (VARIABLE, number.to_string())));
        interrupt.output(&mut tests)
    };
    println!("building");
    tests(&["--no-run"], None)?;
    println!("running {SEEDS} seeds without a defect, which have to pass");
    let seeds = ["--", "nothing_is_lost"];
    tests(&seeds, None)?;
    let chosen = mutants.iter().enumerate();
    let chosen: Vec<_> = chosen.filter(|(_, it)| it.name.contains(named)).collect();
    let width = chosen.iter().map(|(_, it)| it.name.len()).max();
    let (width, mut missed) = (width.unwrap_or_default(), 0);
    for &(number, Mutant { name, .. }) in &chosen {
        let found = tests(&seeds, Some(number)).err();
        interrupt.check()?;
        let Some(found) = found.map(|error| error.to_string()) else {
            missed += 1;
            println!("{name:width$}  NOT FOUND");
            continue;
        };
        let seed = found.split("POSTHASTE_SEED=").nth(1);
        let seed = seed.and_then(|rest| rest.split(' ').next());
        // A run in which no seed reaches a rare state fails as well.
        let by = if found.contains("no seed reached") {
            "none, but no seed reaches a rare state"
        } else {
            seed.context(found.clone())?
        };
        println!("{name:width$}  seed {by}");
    }
    println!("{} of {} found", chosen.len() - missed, chosen.len());
    if missed > 0 {
        bail!("{missed} not found within {SEEDS} seeds");
    }
    Ok(())
}

/// Copies the work tree with the mutants. Unchanged files keep their times, to save compilations.
fn mutants_tree(interrupt: &Interrupt, folder: &Path, mutants: &[Mutant]) -> Result<PathBuf> {
    let [copy, last] = ["tree", "last"].map(|name| folder.join(name));
    if copy.exists() {
        if last.exists() {
            fs::remove_dir_all(&last)?;
        }
        fs::rename(&copy, &last)?;
    }
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]);
    let files = interrupt.output(git.current_dir(ROOT))?;
    for file in files.lines() {
        let from = Path::new(ROOT).join(file);
        if !from.exists() {
            continue;
        }
        let mut text = fs::read(&from).with_context(|| format!("cannot read {file}"))?;
        for (number, mutant) in mutants.iter().enumerate().filter(|(_, it)| it.file == file) {
            text = mutant.put(number, &String::from_utf8(text)?)?.into_bytes();
        }
        let to = copy.join(file);
        fs::create_dir_all(to.parent().unwrap_or(&copy))?;
        if fs::read(last.join(file)).ok().as_ref() == Some(&text) {
            fs::rename(last.join(file), to)?;
        } else {
            fs::write(to, text)?;
        }
    }
    Ok(copy)
}

impl Mutants {
    fn read() -> Result<Self> {
        Ok(toml::from_str(include_str!("../mutants.toml"))?)
    }
}

impl Mutant {
    fn put(&self, number: usize, text: &str) -> Result<String> {
        let Self { find, replace, .. } = self;
        if text.matches(find).count() != 1 {
            bail!("{}: {} is not what it was", self.name, self.file);
        }
        let is_on = format!(r#"std::env::var("{VARIABLE}").is_ok_and(|it| it == "{number}")"#);
        let either = format!("if {is_on} {{ {replace} }} else {{ {find} }}");
        let both = match (find.split_once(" => "), replace.split_once(" => ")) {
            (Some((pattern, _)), Some((_, defect))) => {
                format!("{pattern} if {is_on} => {defect}, {find}")
            }
            _ if find.ends_with(';') => either,
            _ => format!("({either})"),
        };
        Ok(text.replace(find, &both))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_gets_a_guard_and_an_expression_parentheses() {
        let put = |text: &str, find: &str, replace: &str| {
            let [name, file, find, replace] = ["", "", find, replace].map(str::to_owned);
            let mutant = Mutant {
                name,
                file,
                find,
                replace,
            };
            mutant.put(7, text).unwrap()
        };
        let is_on = r#"std::env::var("POSTHASTE_MUTANT").is_ok_and(|it| it == "7")"#;
        assert_eq!(
            put("{ None => a(), _ => b() }", "None => a()", "None => {}"),
            format!("{{ None if {is_on} => {{}}, None => a(), _ => b() }}")
        );
        assert_eq!(
            put("f(a == b)", "a == b", "true"),
            format!("f((if {is_on} {{ true }} else {{ a == b }}))")
        );
    }

    #[test]
    fn every_mutant_can_be_made() {
        for mutant in Mutants::read().unwrap().mutant {
            let text = fs::read_to_string(Path::new(ROOT).join(&mutant.file)).unwrap();
            mutant.put(0, &text).unwrap();
        }
    }
}
