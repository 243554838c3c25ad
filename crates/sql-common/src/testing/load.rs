//! The highest rate of writes that the service could reach: batches of new postings straight into a
//! store, without HTTP, tokens, parsing and queues. `cargo xtask bench` runs it and compares.
#![expect(
    clippy::print_stdout,
    reason = "a benchmark reports on standard output"
)]

use std::{
    env,
    time::{Duration, Instant},
};

use domain::{
    authority::Principal,
    posting::{CompanyPatch, Lifetime, PutPosting},
    store::Store,
    usecase,
};
use kernel::{ClientId, PostingId, SourceIdentifier, Website, field::Patch};
use time::OffsetDateTime;
use uuid::Uuid;

/// As many companies as `cargo xtask bench` pushes for.
const COMPANIES: u64 = 5_000;

/// Writes postings for some seconds, and prints how many.
///
/// # Panics
/// On any error.
pub async fn write_postings<S: Store + Clone + 'static>(store: S) {
    let seconds = number("POSTHASTE_BENCH_SECONDS");
    let tasks = number("POSTHASTE_BENCH_TASKS");
    let batch = number("POSTHASTE_BENCH_BATCH");
    let templates = templates(&setting("POSTHASTE_BENCH_BODIES"));

    let start = Instant::now();
    let until = start + Duration::from_secs(seconds);
    let writers = (0..tasks).map(|task| {
        let (store, templates) = (store.clone(), templates.clone());
        tokio::spawn(async move {
            let mut written = 0;
            while Instant::now() < until {
                let puts: Vec<_> = (written..written + batch)
                    .map(|n| new_posting(&templates, task, n))
                    .collect();
                let now = kernel::microseconds(OffsetDateTime::now_utc());
                let answers = usecase::ingest(&store, &puts, Lifetime::days(60), now)
                    .await
                    .expect("a commit");
                assert!(answers.iter().all(Result::is_ok), "{answers:?}");
                written += batch;
            }
            written
        })
    });
    let mut written = 0;
    for writer in writers.collect::<Vec<_>>() {
        written += writer.await.expect("a writer that ends well");
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("RESULT postings={written} seconds={seconds:.3}");
}

/// A new posting with the text of a template. Ids ascend, like those of the service.
fn new_posting(templates: &[PutPosting], task: u64, n: u64) -> PutPosting {
    let at = usize::try_from(n).unwrap_or_default() % templates.len();
    let mut put = templates[at].clone();
    let identifier = format!("straight-{task}-{n}");
    let company = n % COMPANIES;
    let website = format!("https://www.company-{company}.example");
    put.patch.title = Patch::Set(format!("Backend Engineer {identifier}"));
    put.patch.company = Patch::Set(CompanyPatch {
        name: Patch::Set(format!("Company {company}")),
        website_url: Patch::Set(Website::parse(&website).expect("a website").into()),
        ..put.patch.company().clone()
    });
    put.identifier = SourceIdentifier::new(&identifier).expect("an identifier");
    put.new_id = PostingId::new(Uuid::from_u128((u128::from(n) << 64) | u128::from(task)));
    put
}

/// The payloads of a file, one on each line.
fn templates(file: &str) -> Vec<PutPosting> {
    let by = Principal::unfenced(ClientId::new(Uuid::from_u128(1)));
    let text = std::fs::read_to_string(file).expect("a file of payloads");
    text.lines()
        .map(|line| {
            let id = PostingId::new(Uuid::nil());
            PutPosting::parse("template", line.as_bytes(), by, id).expect("a payload")
        })
        .collect()
}

/// A setting of the benchmark.
///
/// # Panics
/// When it is not set.
pub fn setting(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set; `cargo xtask bench` does it"))
}

fn number(name: &str) -> u64 {
    setting(name).parse().expect("a number")
}
