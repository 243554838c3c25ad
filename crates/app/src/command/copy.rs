use std::time::Instant;

use ::backup::Copying;
use clap::Args;

use crate::{
    args::{StoreArgs, values::whole},
    database::{
        embedded,
        url::{DatabaseUrl, database_url},
    },
    misconfigured::Misconfigured,
    output,
};

const LARGEST_BATCH: u64 = 10_000;

/// Copy everything from the embedded database into an empty PostgreSQL database
///
/// The services must be stopped: a database that another process has open is refused. Repeating the
/// command continues an interrupted copy. At the end every row is compared
#[derive(Debug, Args)]
pub struct Copy {
    /// The PostgreSQL database: empty, or with an interrupted copy
    #[arg(long, value_name = "URL", hide_env_values = true, value_parser = database_url)]
    to: DatabaseUrl,

    /// Rows per write
    #[arg(
        long,
        value_name = "ROWS",
        default_value = "500",
        value_parser = whole::<usize>("rows", 1..=LARGEST_BATCH)
    )]
    batch: usize,
    #[command(flatten)]
    store: StoreArgs,
}

impl Copy {
    pub async fn run(self) -> anyhow::Result<()> {
        let url = self.store.database();
        let Some(path) = url.file() else {
            let why =
                "DATABASE_URL: names a PostgreSQL database, and only an embedded one is copied";
            return Err(Misconfigured(why.to_owned()).into());
        };
        let DatabaseUrl::Postgres(to) = &self.to else {
            let why = "--to: must be postgres://USER@HOST/DATABASE";
            return Err(Misconfigured(why.to_owned()).into());
        };
        embedded::require(&url)?;
        let began = Instant::now();
        let mut copying = Copying::open(path, to, self.batch).await?;
        let rows = copying.run().await?;
        output::print(format_args!(
            "Copied and compared {rows} rows in {:.1} seconds. Set DATABASE_URL to the new database \
             for every process, keep the keys, and move {} to another folder, so that no process uses it.",
            began.elapsed().as_secs_f64(),
            path.display()
        ))
    }
}
