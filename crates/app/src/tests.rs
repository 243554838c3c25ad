use std::{collections::BTreeSet, env, fmt::Write as _, fs};

use runtime::metrics::{self, Kind};

use cli::options;

use crate::command::definitions;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference.md");
const WRITE: &str = "POSTHASTE_WRITE_REFERENCE";

#[test]
fn the_reference_is_what_the_program_says() {
    let text = reference();
    if env::var_os(WRITE).is_some() {
        fs::write(FILE, &text).unwrap();
    }
    let written = fs::read_to_string(FILE).unwrap_or_default();
    assert!(written == text, "out of date: run `cargo xtask reference`");
}

fn reference() -> String {
    let mut text = "# Variables and metrics\n\n\
        Made by `cargo xtask reference`. In parentheses are defaults. `POSTHASTE_PUBLIC_URL` is also \
        the option `--public-url`, and so on.\n\
        A *secret* is also taken from the file that its variable with `_FILE` names. The options of \
        other\ncommands are in their `--help`, the variables of OpenTelemetry under \
        [traces](operations/watch.md#traces).\n"
        .to_owned();
    for (heading, variables) in variables() {
        writeln!(text, "\n## {heading}\n\n{}", variables.join("\n")).unwrap();
    }
    text += "\n## All metrics\n\n";
    let metrics = metrics::all().map(|metric| {
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) => "histogram",
        };
        (metric.name, kind, metric.help)
    });
    for (name, kind, is) in metrics.collect::<BTreeSet<_>>() {
        writeln!(text, "- `{name}` ({kind}): {is}").unwrap();
    }
    text
}

fn variables() -> Vec<(String, Vec<String>)> {
    let root = definitions();
    let mut found = Vec::<(String, Vec<String>)>::new();
    let services = options::SERVICES.map(|name| root.find_subcommand(name).unwrap());
    for arg in services
        .iter()
        .chain([&&root])
        .flat_map(|it| it.get_arguments())
    {
        let (Some(option), Some(variable)) = (arg.get_long(), arg.get_env()) else {
            continue;
        };
        let variable = variable.to_str().unwrap();
        let name = variable.trim_start_matches("POSTHASTE_");
        assert_eq!(option, name.to_lowercase().replace('_', "-"));
        let defaults = arg.get_default_values().iter();
        let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
        let default = match defaults.as_slice() {
            [] => String::new(),
            values => format!(" (`{}`)", values.join(",")),
        };
        let secret = options::secret(arg).map_or("", |_| ", a *secret*");
        let help = arg.get_help().unwrap_or_default().to_string();
        // The page says once that a file may hold a secret.
        let help = help.split(&format!(". {variable}_FILE")).next().unwrap();
        let line = format!("- `{variable}`{default}{secret}: {help}");
        let heading = arg.get_help_heading().unwrap();
        let place = found.iter().position(|(known, _)| known == heading);
        let place = place.unwrap_or_else(|| {
            found.push((heading.to_owned(), Vec::new()));
            found.len() - 1
        });
        if !found[place].1.contains(&line) {
            found[place].1.push(line);
        }
    }
    found
}
