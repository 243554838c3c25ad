use std::{
    any::TypeId,
    env,
    error::Error as _,
    ffi::{OsStr, OsString},
    path::PathBuf,
    sync::OnceLock,
};

use clap::{
    Arg, ArgAction, FromArgMatches,
    builder::{Resettable, TypedValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{SERVICES, command_path, refusal::Refusal};
use crate::values;

static DEFINITIONS: OnceLock<clap::Command> = OnceLock::new();

/// The options of the program; empty before the command line was read.
pub fn definitions() -> clap::Command {
    DEFINITIONS.get().cloned().unwrap_or_default()
}

pub fn parse<T: FromArgMatches>(root: clap::Command, arguments: &[OsString]) -> Result<T, Refusal> {
    DEFINITIONS.get_or_init(|| root.clone());
    let command = without_unset_variables(root);
    command
        .clone()
        .try_get_matches_from(arguments)
        .and_then(|matches| T::from_arg_matches(&matches))
        .map_err(|error| refusal(error, &command, arguments))
}

/// Whether the command line, even an invalid one, asks for a service that logs JSON.
pub fn asks_for_json(root: &clap::Command, arguments: &[OsString]) -> bool {
    let mut path = command_path(root, arguments).into_iter();
    let is_service = path.any(|command| SERVICES.contains(&command.get_name()));
    let mut words = arguments.iter().filter_map(|word| word.to_str());
    let option = words.find_map(|word| word.strip_prefix("--log-format"));
    let format = match option {
        None => env::var("POSTHASTE_LOG_FORMAT").unwrap_or_default(),
        Some("") => words.next().unwrap_or_default().to_owned(),
        Some(value) => value.trim_start_matches('=').to_owned(),
    };
    is_service && format.trim() == "json"
}

fn without_unset_variables(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| {
            let is_unset = arg
                .get_env()
                .and_then(env::var_os)
                .is_some_and(|value| counts_as_unset(&value, is_switch(&arg)));
            if is_unset {
                arg.env(Resettable::Reset)
            } else {
                arg
            }
        })
        .mut_subcommands(without_unset_variables)
}

fn is_switch(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

const ON: [&str; 6] = ["1", "t", "true", "y", "yes", "on"];
const OFF: [&str; 6] = ["0", "f", "false", "n", "no", "off"];

fn is_one_of(words: &[&str], text: &str) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// The parser of a switch, whose value only a variable sets.
pub fn switch() -> impl TypedValueParser<Value = bool> {
    let words = [ON, OFF].concat();
    let expected = words.join(", ");
    values::named(words, move |text| {
        let is_on = is_one_of(&ON, text.trim());
        let is_known = is_on || is_one_of(&OFF, text.trim());
        let refusal = || format!("{text:?} is not one of {expected}");
        is_known.then_some(is_on).ok_or_else(refusal)
    })
}

/// Whether a value is empty, or a "no" for a switch.
fn counts_as_unset(value: &OsStr, is_switch: bool) -> bool {
    let Some(value) = value.to_str().map(str::trim) else {
        return false;
    };
    value.is_empty() || (is_switch && is_one_of(&OFF, value))
}

/// Returns one line that names the variable or option with the bad value.
fn refusal(error: clap::Error, command: &clap::Command, arguments: &[OsString]) -> Refusal {
    if error.kind() == ErrorKind::InvalidUtf8
        && let Some(variable) = not_utf8(&command_path(command, arguments))
    {
        return Refusal::Value(format!("{variable}: is not UTF-8"));
    }
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return Refusal::Usage(Box::new(error));
    };
    let Some(reason) = reason(&error) else {
        return Refusal::Usage(Box::new(error));
    };
    // clap writes `--option <VALUE>`, and `<VALUE>` or `[VALUE]...` where there is no option.
    let given = given
        .split(' ')
        .next()
        .unwrap_or(given)
        .trim_matches(['<', '>', '[', ']', '.']);
    let variable = given
        .strip_prefix("--")
        .filter(|long| !is_given(long, arguments))
        .and_then(|long| variable_of(long, command, arguments));
    Refusal::Value(match variable {
        Some(variable) => format!("{variable}: {reason}"),
        None => format!("{given}: {reason}"),
    })
}

fn reason(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    let reason = error.source()?.to_string();
    Some(reason.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether an option is on the command line: then its variable does not count.
fn is_given(long: &str, arguments: &[OsString]) -> bool {
    arguments
        .iter()
        .filter_map(|argument| argument.to_str())
        .any(|argument| {
            argument
                .strip_prefix("--")
                .is_some_and(|argument| argument.split('=').next() == Some(long))
        })
}

fn variable_of(long: &str, root: &clap::Command, arguments: &[OsString]) -> Option<String> {
    let find = |command: &&clap::Command| {
        command
            .get_arguments()
            .find(|arg| arg.get_long() == Some(long))
            .and_then(Arg::get_env)
            .map(|variable| variable.to_string_lossy().into_owned())
    };
    command_path(root, arguments).iter().rev().find_map(find)
}

/// Finds a variable that must be UTF-8 but is not. Paths may be any bytes.
fn not_utf8(commands: &[&clap::Command]) -> Option<String> {
    commands
        .iter()
        .flat_map(|command| command.get_arguments())
        .filter(|arg| arg.get_value_parser().type_id() != TypeId::of::<PathBuf>())
        .filter_map(Arg::get_env)
        .find(|variable| env::var_os(variable).is_some_and(|value| value.to_str().is_none()))
        .map(|variable| variable.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_without_a_value_counts_as_unset() {
        for (value, is_switch, expected) in [
            ("  ", false, true),
            ("0", false, false),
            ("false", false, false),
            ("", true, true),
            ("0", true, true),
            ("False", true, true),
            ("1", true, false),
            ("yes", true, false),
        ] {
            let found = counts_as_unset(value.as_ref(), is_switch);
            assert_eq!(found, expected, "{value:?}, switch: {is_switch}");
        }
    }
}
