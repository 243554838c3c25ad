use std::future::{Future, ready};

use clap::Args;

use crate::output;

/// Print the OpenAPI document
#[derive(Debug, Args)]
pub struct Openapi {}

impl Openapi {
    pub fn run(self) -> impl Future<Output = anyhow::Result<()>> {
        let Self {} = self;
        let document = adapters_http::openapi().map_err(Into::into);
        ready(document.and_then(|document| output::print_json(&document)))
    }
}
