use std::ffi::OsString;

use cli::options::Refusal;
use secrecy::ExposeSecret as _;

use super::*;
use crate::{
    args::{EnricherKind, values::tests::check},
    database::url::DatabaseUrl,
    serve::Worker,
};

fn parse(arguments: &[OsString]) -> Result<Cli, Refusal> {
    options::parse(definitions(), arguments)
}

fn arguments(line: &str) -> Vec<OsString> {
    let words = line.split_whitespace();
    ["posthaste"]
        .into_iter()
        .chain(words)
        .map(OsString::from)
        .collect()
}

fn parsed(line: &str) -> Command {
    let parsed = parse(&arguments(line));
    parsed
        .unwrap_or_else(|refusal| panic!("{line}: {refusal}"))
        .command
}

fn worker(options: &str) -> Worker {
    let Command::Worker(worker) = parsed(&format!("worker {options}")) else {
        panic!("{options}")
    };
    worker
}

#[test]
fn the_definitions_are_sound() {
    Cli::command().debug_assert();
}

fn surface(path: &str, command: &clap::Command, lines: &mut Vec<String>) {
    lines.push(path.to_owned());
    for arg in command.get_arguments() {
        let name = match arg.get_long() {
            Some("help" | "version") => continue,
            Some(long) => format!("--{long}"),
            None => arg.get_id().as_str().to_ascii_uppercase(),
        };
        let variable = arg
            .get_env()
            .map(|name| name.to_string_lossy().into_owned());
        let is_switch = matches!(arg.get_action(), clap::ArgAction::SetTrue);
        let defaults = arg.get_default_values().iter().filter(|_| !is_switch);
        let mut words: Vec<_> = [Some(name), variable].into_iter().flatten().collect();
        words.extend(defaults.map(|value| format!("= {}", value.to_string_lossy())));
        for (is_so, word) in [
            (is_switch, "switch"),
            (arg.is_required_set(), "required"),
            (arg.is_hide_set(), "hidden"),
            (options::secret(arg).is_some(), "secret"),
            // Secrets are base64url, so one in 64 begins with `-`.
            (arg.is_allow_hyphen_values_set(), "may begin with -"),
            (arg.get_value_delimiter().is_some(), "commas"),
        ] {
            words.extend(is_so.then(|| format!("({word})")));
        }
        lines.push(format!("  {}", words.join(" ")));
    }
    for command in command.get_subcommands() {
        surface(&format!("{path} {}", command.get_name()), command, lines);
    }
}

/// Scripts depend on these names.
#[test]
fn commands_options_variables_and_defaults_stay() {
    let mut found = Vec::new();
    surface("posthaste", &definitions(), &mut found);
    let expected: Vec<_> = include_str!("surface.txt").lines().collect();
    if found != expected {
        let file = std::env::current_exe()
            .unwrap()
            .with_file_name("surface.txt");
        std::fs::write(&file, found.join("\n") + "\n").unwrap();
        panic!("the new text is {}", file.display());
    }
}

/// A bad value gets one line that names the option. Clap writes the messages of bad usage.
#[test]
fn what_is_refused_is_named() {
    check(
        |line| match parse(&arguments(line)) {
            Ok(_) => Ok(()),
            Err(Refusal::Value(why)) => Err(why),
            Err(Refusal::Usage(error)) => Err(format!("{:?}", error.kind())),
        },
        r#"
        nonsense                                      ! InvalidSubcommand
        outbox retry                                  ! MissingRequiredArgument
        outbox retry 1 --all-dead                     ! ArgumentConflict
        push f --url http://h --client-id I --client-secret S --max-missing 5 ! MissingRequired
        clients update Ada                            ! MissingRequiredArgument
        subscribers migrate --source manual           ! MissingRequiredArgument
        subscribers migrate a@b.de --all --source manual ! ArgumentConflict
        serve --bind x                                ! --bind: "x" is not an IP address with a
        serve --bind=x                                ! --bind: "x" is not an IP address with a
        serve --mailerlite-webhook-secret a,,b        ! --mailerlite-webhook-secret: has a comma
        worker --mailerlite-requests-per-minute 0     ! --mailerlite-requests-per-minute: "0" is
        keys retire x                                 ! KID: "x" is not a key id
        clients create --name N --scope x             ! --scope: "x" is not one of job-
        outbox retry x                                ! ID: "x" is not the number
        push f --catalogue a/b                        ! --catalogue: "a/b" is not 1 to 64
        push f --catalogue c --max-missing 101        ! --max-missing: "101" is not a whole
        postings list --status x                      ! --status: "x" must be one of Pending
        subscribers migrate a@b.de x --source manual  ! EMAIL: "x" must be a valid
        webhooks create --url https://h --type X      ! --type: "X" is not one of JobPostingCreated
        webhooks show 1                               ! ID: "1" is not a webhook's id
        subscribers migrate --all --source wish       ! --source: "wish" is not one of manual,
        "#,
    );
}

#[test]
fn usage_names_what_would_do_instead() {
    for (line, instead) in [
        ("outbox retry", "outbox retry [OPTIONS] --all-dead"),
        (
            "subscribers migrate --source manual",
            "subscribers migrate [OPTIONS] --source <SOURCE> --all",
        ),
    ] {
        let refusal = parse(&arguments(line)).unwrap_err().to_string();
        assert!(refusal.contains(instead), "{refusal}");
    }
}

#[test]
fn an_account_without_a_key_is_none() {
    let none = worker("--mailerlite-new-group-id 7");
    let none = none.work.accounts.settings();
    assert!(none.old.is_none() && none.new.is_none());

    let both = worker(
        "--mailerlite-old-api-key -sesame --mailerlite-new-api-key simsim \
         --mailerlite-new-group-id 7 --mailerlite-new-base-url http://127.0.0.1:1/api",
    );
    let both = both.work.accounts.settings();
    assert!(!format!("{both:?}").contains("sesame"), "{both:?}");
    let (old, new) = (both.old.unwrap(), both.new.unwrap());
    assert_eq!(old.key.expose_secret(), "-sesame");
    assert_eq!(old.base_url.as_str(), adapters_mailerlite::DEFAULT_BASE_URL);
    assert_eq!(new.base_url.as_str(), "http://127.0.0.1:1/api");
    assert_eq!((old.group, new.group.as_deref()), (None, Some("7")));
}

#[test]
fn settings_of_a_model_count_if_there_is_one() {
    let model = "--llm-base-url http://127.0.0.1:1/v1?a=b --llm-model m --llm-api-key -sesame \
                 --llm-timeout 9 --llm-concurrency 7 --llm-prompt-price 0.5 \
                 --llm-extra-body {\"a\":1}";
    let unused = worker(model).work.enricher.kind();
    assert!(matches!(unused, Ok(EnricherKind::Builtin)));
    let used = worker(&format!("--enricher llm {model}"))
        .work
        .enricher
        .kind();
    assert!(!format!("{used:?}").contains("sesame"), "{used:?}");
    let Ok(EnricherKind::Llm(model, 7)) = used else {
        panic!("{used:?}")
    };
    assert_eq!(model.base_url.as_str(), "http://127.0.0.1:1/v1?a=b");
    assert_eq!((&*model.model, model.timeout.as_secs()), ("m", 9));
    assert_eq!(model.api_key.unwrap().expose_secret(), "-sesame");
    assert_ne!(
        model.extra_body,
        adapters_llm::ExtraBody::parse("{}").unwrap()
    );
    let prices = format!("{:?}", model.prices);
    assert_eq!(prices, "Prices { prompt: 0.5, completion: 0.0 }");
}

#[test]
fn the_database_is_in_the_data_directory_unless_named() {
    for (options, file) in [
        ("", "./data/posthaste.db"),
        ("--data-dir d", "d/posthaste.db"),
        ("--data-dir d --database-url sqlite://e/f.db", "e/f.db"),
    ] {
        let Command::Migrate(migrate) = parsed(&format!("migrate {options}")) else {
            panic!("{options}")
        };
        let found = migrate.store.database();
        assert_eq!(found, DatabaseUrl::Sqlite(file.into()), "{options}");
    }
}
