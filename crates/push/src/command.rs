mod from;

use std::{
    fs::{self, File},
    io::BufWriter,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context as _, bail};
use clap::Args;
use cli::{
    json::JsonArgs,
    misconfigured::Misconfigured,
    options, output,
    program::exit_code,
    shutdown::{INTERRUPTED, StopSignals},
    text::{plain, shorten},
    values,
};
use domain::import::HeldBecause;
use kernel::CatalogueName;
use secrecy::SecretString;
use tokio::task;
use url::Url;

use self::from::FromArgs;
use crate::{
    Catalogue, Credentials, Handling, Import, Loader, Missing, Options, Progress, Source, Summary,
    rejects::write_rejects, show,
};

const SHOWN: usize = 10;
const NAMED: usize = 60;

/// Push many postings from a file
#[derive(Debug, Args)]
pub struct Push {
    /// One `{"id":…,"payload":{…}}` per line, or one JSON array of them; gzip and Zstandard are
    /// unpacked. `-` reads standard input
    #[arg(value_name = "FILE", required_unless_present = "presets")]
    file: Option<PathBuf>,

    /// The service's address
    #[arg(
        long,
        value_name = "URL",
        value_parser = values::base_url,
        required_unless_present_any = ["print", "presets"]
    )]
    url: Option<Url>,

    /// The OAuth client's id
    #[arg(
        long,
        value_name = "ID",
        env = "POSTHASTE_CLIENT_ID",
        required_unless_present_any = ["print", "presets"]
    )]
    client_id: Option<String>,

    /// The OAuth client's secret; prefer the variable, which other users cannot see
    #[arg(
        long,
        value_name = "SECRET",
        env = "POSTHASTE_CLIENT_SECRET",
        required_unless_present_any = ["print", "presets"]
    )]
    pub client_secret: Option<SecretString>,

    /// The file has all postings that the client offers under this name. Postings that earlier
    /// files named expire if this file does not name them; expired postings that it names are
    /// reopened
    #[arg(long, value_name = "NAME", value_parser = values::catalogue)]
    catalogue: Option<CatalogueName>,

    /// Expire nothing if the missing postings are more than this percentage of the catalogue, and
    /// more than --min-missing; the service's default is 30. With 100, any number expires
    #[arg(
        long,
        value_name = "PERCENT",
        requires = "catalogue",
        value_parser = values::whole::<u8>("per cent", 0..=100)
    )]
    max_missing: Option<u8>,

    /// Let up to this number of postings expire, whatever their percentage; the service's default
    /// is 20
    #[arg(long, value_name = "POSTINGS", requires = "catalogue")]
    min_missing: Option<u64>,

    /// Let missing postings expire although up to this number of refused lines may be about them;
    /// the service's default is 0
    #[arg(long, value_name = "LINES", requires = "catalogue")]
    max_unattributed: Option<u64>,

    /// Expire a posting only if this number of pushes in a row missed it, 1 to 10; the service's
    /// default is 1
    #[arg(
        long,
        value_name = "PUSHES",
        requires = "catalogue",
        value_parser = clap::value_parser!(u8).range(1..=10)
    )]
    misses: Option<u8>,

    /// Reopen expired postings: adds `"expiration": null` to each payload without an expiration
    #[arg(long)]
    reopen: bool,

    /// Only print what would happen; nothing is written
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    handling: HandlingArgs,

    #[command(flatten)]
    from: FromArgs,

    /// Write refused lines with their errors to this file, which can be pushed again
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,

    #[command(flatten)]
    json: JsonArgs,
}

/// The command as a separate program, with the variables of `posthaste push`.
pub fn definitions() -> clap::Command {
    let push = Push::augment_args(clap::Command::new("push"));
    let root = options::documented(clap::Command::new("posthaste").subcommand(push));
    let push = root.find_subcommand("push").cloned().unwrap_or_default();
    let version = env!("BUILD_VERSION");
    push.name("posthaste-push").version(version)
}

#[derive(Debug, Args)]
struct HandlingArgs {
    /// Refuse fields that the service does not know
    #[arg(long)]
    strict: bool,

    /// Correct clear mistakes, and leave out other wrong optional values
    #[arg(long, conflicts_with = "strict")]
    lenient: bool,
}

impl Push {
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(rejects) = &self.rejects {
            refuse_same_file(self.file.as_deref().unwrap_or(Path::new("-")), rejects)?;
        }
        let stop = StopSignals::listen()?.asked();
        tokio::select! {
            ended = push(&self) => ended,
            () = stop => {
                let message = "Stopped before the end. To push the same again is safe.";
                if self.json.enabled {
                    output::print_error(message);
                } else {
                    output::print(message)?;
                }
                Ok(ExitCode::from(INTERRUPTED))
            }
        }
    }
}

async fn push(args: &Push) -> anyhow::Result<ExitCode> {
    if let Some(code) = args.from.print(args.file.as_deref()).await? {
        return Ok(code);
    }
    let started = Instant::now();
    let progress = Progress::default();
    let options = Options {
        catalogue: args.catalogue.as_ref().map(|name| Catalogue {
            name: name.to_string(),
            max_missing: args.max_missing,
            min_missing: args.min_missing,
            max_unattributed: args.max_unattributed,
            misses: args.misses,
        }),
        reopen: args.reopen,
        handling: match (
            args.handling.strict,
            args.handling.lenient || args.from.is_given(),
        ) {
            (true, _) => Handling::Strict,
            (false, true) => Handling::Lenient,
            (false, false) => Handling::Usual,
        },
        dry_run: args.dry_run,
        ..Options::default()
    };
    let sent = tokio::select! {
        sent = send(args, &options, &progress) => sent,
        never = show(&progress) => match never {},
    };
    let (source, import, rejects) = sent?;
    let written = rejects.map_or(Ok(()), |mut file| {
        write_rejects(&source, &options, &import, &mut file)
    });
    print_summary(&Summary::new(&import, started.elapsed()), &import, args)?;
    written?;
    Ok(exit_code(import.is_clean()))
}

/// Sends the file. Opens the rejects file after the first token, so that a wrong secret does not
/// overwrite earlier rejects.
async fn send(
    args: &Push,
    options: &Options,
    progress: &Progress,
) -> anyhow::Result<(Source, Import, Option<BufWriter<File>>)> {
    let Push {
        file: Some(file),
        url: Some(url),
        client_id: Some(client_id),
        client_secret: Some(client_secret),
        ..
    } = args
    else {
        bail!("give FILE, --url, --client-id and --client-secret");
    };
    let source = if let Some(converted) = args.from.convert(file).await? {
        converted.source
    } else {
        let path = file.clone();
        task::spawn_blocking(move || Source::open(&path)).await??
    };
    let credentials = Credentials {
        client_id: client_id.clone(),
        client_secret: client_secret.clone(),
    };
    let loader = Loader::connect(url, credentials, progress.clone()).await?;
    let rejects = args.rejects.as_deref().map(create).transpose()?;
    let import = loader.push(&source, options).await;
    let import = import.context("stopped early; to push the same again is safe")?;
    Ok((source, import, rejects))
}

fn create(path: &Path) -> anyhow::Result<BufWriter<File>> {
    let file = File::create(path).with_context(|| {
        let path = path.display();
        format!("the file {path} for --rejects cannot be written")
    })?;
    Ok(BufWriter::new(file))
}

/// If input and rejects are the same file, opening the rejects would empty the input.
fn refuse_same_file(input: &Path, rejects: &Path) -> Result<(), Misconfigured> {
    // A file that does not exist cannot be the input.
    let (Ok(input), Ok(target)) = (fs::canonicalize(input), fs::canonicalize(rejects)) else {
        return Ok(());
    };
    if input == target && input.is_file() {
        return Err(Misconfigured(format!(
            "--rejects names the file that is pushed: {}",
            rejects.display()
        )));
    }
    Ok(())
}

fn print_summary(summary: &Summary, import: &Import, args: &Push) -> anyhow::Result<()> {
    let missing = import.missing.as_ref().filter(|missing| missing.count > 0);
    let missing = missing.map(|missing| say_missing(args, missing, import));
    if args.json.enabled {
        if import.is_held() {
            output::print_error(missing.unwrap_or_default());
        }
        return output::print_json(summary);
    }
    if args.dry_run {
        output::print("What would happen; nothing was written:")?;
    }
    output::print(summary)?;
    if let Some(missing) = missing {
        output::print(missing)?;
    }
    match &args.rejects {
        _ if import.counts.is_clean() => Ok(()),
        Some(path) => output::print(format!(
            "The lines that were not taken, and why: {}",
            path.display()
        )),
        None => output::print("Give --rejects FILE to keep the lines that were not taken."),
    }
}

fn say_missing(args: &Push, missing: &Missing, import: &Import) -> String {
    let name = args.catalogue.as_ref().map_or("", CatalogueName::as_str);
    let because = missing.because.as_deref().and_then(HeldBecause::parse);
    let held = missing.held.then(|| because.unwrap_or(HeldBecause::Share));
    let sentence = domain::import::Missing {
        count: missing.count,
        expired: missing.expired,
        held,
        ..domain::import::Missing::default()
    };
    let sentence = sentence.sentence(import.counts.expired, args.dry_run);
    let said = format!("Of the catalogue {name} {sentence}.");
    let Some(because) = held else {
        return said;
    };
    let mut named: Vec<_> = missing
        .first
        .iter()
        .map(|it| shorten(&plain(it), NAMED))
        .collect();
    named.truncate(SHOWN);
    let others = missing.count.saturating_sub(named.len() as u64);
    if others > 0 && !named.is_empty() {
        named.push(format!("{others} others"));
    }
    let named = if named.is_empty() {
        String::new()
    } else {
        format!(" Missing: {}.", named.join(", "))
    };
    let url = args.url.as_ref().map_or("", Url::as_str);
    let catalogue = format!("{url}api/job-board/catalogues/{name}");
    let share = "If the crawl was broken, repair it and push again. If the postings are gone,";
    let cure = match because {
        HeldBecause::Unattributed => format!(
            "Correct the refused lines and push again. If the missing postings are gone, push \
             again with --max-unattributed {}.",
            import.unattributed
        ),
        HeldBecause::Share | HeldBecause::Empty if args.dry_run => {
            format!("{share} push with --max-missing 100.")
        }
        HeldBecause::Share | HeldBecause::Empty => format!(
            "{share} let them expire:\n  \
             POST {catalogue}/release with the client's token, the catalogue's page in the \
             console, or\n  \
             posthaste catalogues release {name} --client {}",
            args.client_id.as_deref().unwrap_or_default()
        ),
    };
    if args.dry_run {
        return format!("{said}{named}\n{cure}");
    }
    format!("{said}{named}\n{cure}\nGET {catalogue}/missing lists all of them.")
}
