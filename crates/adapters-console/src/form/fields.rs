//! The values that a form's page shows, and why the form was refused.

use std::fmt::Display;

use actix_web::http::StatusCode;
use askama::Template;

use crate::{error::Refusal, query::Query};

#[derive(Template)]
#[template(path = "fault.html")]
pub struct Fault<'a> {
    name: &'static str,
    fault: Option<&'a str>,
}

#[derive(Clone, Debug, Default)]
pub struct Fields {
    pub values: Query,
    pub refusal: Option<Refusal>,
    pub is_search: bool,
}

impl Fields {
    pub fn with_values<'a>(values: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        Self {
            values: Query::with_values(values),
            ..Self::default()
        }
    }

    /// The refused fields if they belong to one of these actions, otherwise `otherwise`.
    pub fn of_action(refused: &Self, actions: &[&str], otherwise: Self) -> Self {
        let action = refused.get("action");
        if refused.refusal.is_some() && actions.contains(&action) {
            refused.clone()
        } else {
            otherwise
        }
    }

    pub fn get(&self, name: &str) -> &str {
        self.values.get(name).unwrap_or_default()
    }

    pub fn has(&self, name: &str, value: impl Display) -> bool {
        let value = value.to_string();
        self.values.all(name).any(|chosen| chosen == value)
    }

    pub fn fault(&self, name: &str) -> Option<&str> {
        let mut faults = self.refusal.iter().flat_map(|refusal| &refusal.faults);
        let fault = faults.find(|(field, _)| field == name);
        fault.map(|(_, why)| why.as_str())
    }

    pub fn note(&self, name: &'static str) -> Fault<'_> {
        let fault = self.fault(name);
        Fault { name, fault }
    }

    /// Attributes that link a field to its fault.
    pub fn mark(&self, name: &'static str) -> String {
        if self.fault(name).is_some() {
            format!(" aria-invalid=\"true\" aria-describedby=\"fault-{name}\"")
        } else {
            String::new()
        }
    }

    pub fn problem(&self) -> Option<String> {
        let refusal = self.refusal.as_ref()?;
        let result = if self.is_search {
            "The search was not understood."
        } else {
            "Nothing was changed."
        };
        Some(format!("{result} {refusal}"))
    }

    pub fn status(&self) -> StatusCode {
        let status = self.refusal.as_ref().map(|refusal| refusal.status);
        status.unwrap_or(StatusCode::OK)
    }
}
