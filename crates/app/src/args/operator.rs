use std::{env, fs};

use clap::Args;
use fields::line::InvalidText;
use kernel::{Operator, audit::Attribution};
use uuid::Uuid;

use super::values;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Audit")]
pub struct OperatorArgs {
    /// The operator, for the audit. Default: the system's user
    #[arg(long, value_name = "NAME", value_parser = values::operator)]
    operator: Option<Operator>,
}

impl OperatorArgs {
    pub fn attribution(&self) -> Result<Attribution, InvalidText> {
        let operator = match &self.operator {
            Some(operator) => operator.clone(),
            None => system_user()?,
        };
        Ok(Attribution {
            id: Uuid::now_v7(),
            operator,
        })
    }
}

/// The process's user: the name in `/etc/passwd`, otherwise `USER`, otherwise the number.
fn system_user() -> Result<Operator, InvalidText> {
    let id = rustix::process::getuid().as_raw();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let listed = name_of(id, &users).map(ToOwned::to_owned);
    let names = listed.into_iter().chain(env::var("USER"));
    let mut good = names.filter_map(|name| Operator::new(&name).ok());
    match good.next() {
        Some(operator) => Ok(operator),
        None => Operator::new(&format!("uid {id}")),
    }
}

fn name_of(id: u32, users: &str) -> Option<&str> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let number = fields.nth(1)?;
        (number.parse() == Ok(id)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_number() {
        let users = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nodd\n";
        assert_eq!(name_of(1000, users), Some("ann"));
        assert_eq!(name_of(0, users), Some("root"));
        assert_eq!(name_of(7, users), None);
    }

    #[test]
    fn every_operator_has_a_name() {
        let nobody = OperatorArgs { operator: None };
        let by = nobody.attribution().unwrap();
        assert!(!by.operator.as_str().is_empty());
        let named = OperatorArgs {
            operator: Operator::new("ann").ok(),
        };
        assert_eq!(named.attribution().unwrap().operator.as_str(), "ann");
    }
}
