//! The parts of the suite, by their names.

use anyhow::{Result, bail};

/// A part of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The alert rules for Prometheus.
    Alerts,
    /// Every test in Rust, end to end too.
    Rust,
    /// Third-party clients, a fuzzer and a browser.
    Python,
    /// Third-party clients in JavaScript and TypeScript.
    Node,
}

impl Part {
    const ALL: [(&str, Self); 4] = [
        ("alerts", Self::Alerts),
        ("rust", Self::Rust),
        ("python", Self::Python),
        ("node", Self::Node),
    ];

    /// The parts that the arguments choose: `--only NAME`, any number of times; else all.
    pub fn chosen(arguments: &[&str]) -> Result<Vec<Self>> {
        if arguments.is_empty() {
            return Ok(Self::ALL.map(|(_, part)| part).to_vec());
        }
        let (pairs, rest) = arguments.as_chunks::<2>();
        if !rest.is_empty() {
            bail!("{}: --only NAME is wanted", rest.join(" "));
        }
        let part = |[option, name]: &[&str; 2]| {
            let known = Self::ALL.iter().find(|(known, _)| known == name);
            match known.filter(|_| *option == "--only") {
                Some((_, part)) => Ok(*part),
                None => bail!(
                    "{option} {name}: --only takes {}",
                    Self::ALL.map(|(name, _)| name).join(", ")
                ),
            }
        };
        pairs.iter().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_chosen_by_name() {
        assert_eq!(Part::chosen(&[]).unwrap().len(), 4);
        let two = ["--only", "node", "--only", "alerts"];
        assert_eq!(Part::chosen(&two).unwrap(), [Part::Node, Part::Alerts]);
        for (arguments, error) in [
            (&["--only"] as &[_], "--only: --only NAME is wanted"),
            (
                &["--only", "c"],
                "--only c: --only takes alerts, rust, python, node",
            ),
            (
                &["--not", "rust"],
                "--not rust: --only takes alerts, rust, python, node",
            ),
        ] {
            assert_eq!(Part::chosen(arguments).unwrap_err().to_string(), error);
        }
    }
}
