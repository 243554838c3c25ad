use std::{path::Path, process::ExitCode};

use clap::Args;
use cli::{misconfigured::Misconfigured, output, program::exit_code};
use tokio::task;

use crate::from::{Conversion, Converted, PRELUDE, PRESETS, Preset, Setting};

#[derive(Debug, Args)]
pub struct FromArgs {
    /// The format of the file: a preset of --presets, or a file with a program in the language of
    /// jq. The program converts each item of JSON, XML, CSV or the JSON-LD in HTML to
    /// `{"id":…,"payload":{…}}`. Implies --lenient
    #[arg(long, value_name = "PRESET|FILE.jq")]
    from: Option<String>,

    /// Set a field of every payload, as in `company.website_url=https://acme.example`; `KEY?=VALUE`
    /// sets only a missing field; `id_prefix=acme-` puts acme- before identifiers. In a value, {id}
    /// is the source's identifier, and {company} the company's name as in a URL
    #[arg(long, value_name = "KEY=VALUE", requires = "from")]
    set: Vec<Setting>,

    /// Print the lines instead of pushing them
    #[arg(long, requires = "from")]
    print: bool,

    /// List the presets, or print one as the beginning of your own program; `prelude` has the
    /// definitions that all programs can use
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        default_missing_value = ""
    )]
    presets: Option<String>,
}

impl FromArgs {
    pub async fn print(&self, file: Option<&Path>) -> anyhow::Result<Option<ExitCode>> {
        if let Some(name) = &self.presets {
            print_presets(name)?;
            return Ok(Some(ExitCode::SUCCESS));
        }
        let Some(file) = file.filter(|_| self.print) else {
            return Ok(None);
        };
        let Some(converted) = self.convert(file).await? else {
            return Ok(None);
        };
        let is_clean = converted.failed == 0;
        task::spawn_blocking(move || converted.each_line(output::print_lines)).await??;
        Ok(Some(exit_code(is_clean)))
    }

    pub const fn is_given(&self) -> bool {
        self.from.is_some()
    }

    pub async fn convert(&self, file: &Path) -> anyhow::Result<Option<Converted>> {
        let Some(from) = self.from.clone() else {
            return Ok(None);
        };
        let (file, settings) = (file.to_owned(), self.set.clone());
        let convert = move || Conversion::new(&from, &settings)?.convert(&file);
        let converted = task::spawn_blocking(convert).await??;
        let Converted {
            items,
            failed,
            failures,
            repeated,
            ..
        } = &converted;
        for failure in failures {
            output::print_error(failure);
        }
        if *failed > 0 {
            output::print_error(format!(
                "{failed} of {items} items give no posting. Each is sent as a line without an \
                 identifier, which the service refuses. So no catalogue expires the posting that \
                 the item may be about."
            ));
        }
        if *repeated > 0 {
            output::print_error(format!(
                "{repeated} of {items} items have the identifier of an item before them; the last \
                 one counts."
            ));
        }
        Ok(Some(converted))
    }
}

fn print_presets(name: &str) -> anyhow::Result<()> {
    if name.is_empty() {
        let list = PRESETS
            .iter()
            .map(|it| format!("{:<16} {}", it.name, it.purpose()));
        return output::print(list.collect::<Vec<_>>().join("\n"));
    }
    if name == "prelude" {
        return output::print(PRELUDE.trim_end());
    }
    let preset = Preset::find(name).ok_or_else(|| {
        Misconfigured(format!(
            "--presets: there is no preset {name:?}; --presets lists them"
        ))
    })?;
    output::print(preset.program.trim_end())
}
