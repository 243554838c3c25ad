//! Settings that are read before the command line: `.env`, and the files of secrets.
//!
//! A secret is an option whose help hides its value, or a header for the trace collector. Each is
//! also read from the file that `VARIABLE_FILE` names.

use std::{any::TypeId, env, ffi::OsString, fs::File, io::Read as _, path::Path};

use clap::{Arg, ArgAction, Command};
use secrecy::SecretString;

use super::{
    SERVICES, command_path,
    dotenv::{Dotenv, file_variable, set},
    parse::switch,
    refusal::Refusal,
};

const LARGEST: u64 = 1 << 16;

/// Headers that are sent along with traces; the tracer reads them itself.
const HEADERS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
];

/// Sets the variables of `.env` and of files of secrets. Must be called before there are threads.
pub fn load(
    root: &Command,
    path: &Path,
    arguments: &[OsString],
) -> Result<Option<Dotenv>, Refusal> {
    let dotenv = Dotenv::read(path)?;
    if let Some(dotenv) = &dotenv {
        dotenv.apply()?;
    }
    let mut secrets = Vec::new();
    for command in command_path(root, arguments) {
        secrets.extend(command.get_arguments().filter_map(secret));
        if SERVICES.contains(&command.get_name()) {
            secrets.extend(HEADERS.map(str::to_owned));
        }
    }
    let mut found = Vec::new();
    for name in secrets {
        if let Some(value) = from_file(&name)? {
            found.push((name, value));
        }
    }
    set(&found)?;
    Ok(dotenv)
}

/// Names the variable of each option, hides the values of secrets, accepts the usual words for a
/// switch, and mentions files of secrets in the help.
///
/// The variable is `POSTHASTE_` and the option's name. An option without a heading belongs to its
/// command: the name of the command or its group comes in between.
pub fn documented(root: Command) -> Command {
    let complete = |command: Command| {
        let group = format!("{}_", command.get_name());
        complete(command, &group)
    };
    complete_arguments(root, "").mut_subcommands(complete)
}

fn complete(command: Command, group: &str) -> Command {
    complete_arguments(command, group).mut_subcommands(|command| complete(command, group))
}

fn complete_arguments(command: Command, group: &str) -> Command {
    command.mut_args(|mut arg| {
        if arg.get_value_parser().type_id() == TypeId::of::<SecretString>() {
            // Secrets are base64url, so one in 64 begins with a hyphen.
            arg = arg.hide_env_values(true).allow_hyphen_values(true);
        }
        if let Some(name) = arg.get_long().filter(|_| arg.get_env().is_none()) {
            let is_setting = arg.get_help_heading().is_some();
            let group = if is_setting { "" } else { group };
            let variable = format!("POSTHASTE_{group}{name}");
            arg = arg.env(variable.replace('-', "_").to_ascii_uppercase());
        }
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            return arg.value_parser(switch());
        }
        let (Some(name), Some(help)) = (secret(&arg), arg.get_help()) else {
            return arg;
        };
        let help = format!(
            "{help}. {} names a file that holds it",
            file_variable(&name)
        );
        arg.help(help)
    })
}

pub fn secret(arg: &Arg) -> Option<String> {
    let name = arg.get_env().filter(|_| arg.is_hide_env_values_set())?;
    Some(name.to_string_lossy().into_owned())
}

/// Reads a secret from a file, without the newline at the end.
fn from_file(name: &str) -> Result<Option<String>, Refusal> {
    let is_set =
        |name: &str| env::var_os(name).filter(|value| !value.to_string_lossy().trim().is_empty());
    let variable = file_variable(name);
    let Some(path) = is_set(&variable) else {
        return Ok(None);
    };
    if is_set(name).is_some() {
        return Err(Refusal::Value(format!(
            "{variable}: {name} is set as well; set one of them"
        )));
    }
    let path = Path::new(&path);
    let refuse = |why: &dyn std::fmt::Display| {
        Refusal::Value(format!("{variable}: {}: {why}", path.display()))
    };
    let mut text = String::new();
    let file = File::open(path).map_err(|error| refuse(&error))?;
    let read = file.take(LARGEST + 1).read_to_string(&mut text);
    read.map_err(|error| refuse(&error))?;
    if text.len() as u64 > LARGEST || text.contains('\0') {
        return Err(refuse(&"is no secret"));
    }
    let secret = text.strip_suffix('\n').unwrap_or(&text);
    let secret = secret.strip_suffix('\r').unwrap_or(secret);
    if secret.trim().is_empty() {
        return Err(refuse(&"is empty"));
    }
    Ok(Some(secret.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_set_as_it_is() {
        for (n, value) in [
            "",
            " a b ",
            r#"p\"$HOME'${x}\n#=`!"#,
            "two\nlines\n",
            "a\r\n b # c",
            "postgres://u:p%40$@h/d?x='y'",
            "\u{1F511}",
        ]
        .into_iter()
        .enumerate()
        {
            let name = format!("POSTHASTE_TEST_OF_SETTING_{n}");
            set(&[(name.clone(), value.to_owned())]).unwrap();
            assert_eq!(env::var(&name).as_deref(), Ok(value), "{value:?}");
        }
    }
}
