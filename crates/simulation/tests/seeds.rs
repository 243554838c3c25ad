//! Runs seeds: 300 of them; as many as `POSTHASTE_SEEDS` says; or the one that `POSTHASTE_SEED`
//! names, with all its steps.

use std::{
    env,
    process::{Command, Output},
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

/// The seeds of every run.
const SEEDS: u64 = 300;

fn run(seed: u64, log: &[&str]) -> Output {
    let mut simulation = Command::new(env!("CARGO_BIN_EXE_simulation"));
    let simulation = simulation.arg(seed.to_string()).args(log);
    simulation.output().expect("the simulation starts")
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is a number")),
    )
}

/// Runs a seed, and says how it failed, if it did.
fn fails(seed: u64, log: &[&str]) -> Option<String> {
    let done = run(seed, log);
    let [steps, why] =
        [done.stdout, done.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    let failed = format!(
        "{steps}\n{why}\nto see it again: POSTHASTE_SEED={seed} cargo test -p simulation --test seeds"
    );
    (!done.status.success()).then_some(failed)
}

#[test]
fn nothing_is_lost_doubled_reordered_or_seen_by_others() {
    if let Some(seed) = number("POSTHASTE_SEED") {
        let failed = fails(seed, &["log"]);
        assert!(failed.is_none(), "{}", failed.unwrap_or_default());
        return;
    }
    let (seeds, next) = (
        number("POSTHASTE_SEEDS").unwrap_or(SEEDS),
        AtomicU64::new(0),
    );
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= seeds {
                return None;
            }
            if let Some(failed) = fails(seed, &[]) {
                // The others end too.
                next.store(seeds, Ordering::SeqCst);
                return Some(failed);
            }
        }
    };
    let failed: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = running
            .into_iter()
            .map(|thread| thread.join().expect("it ends"));
        ended.flatten().collect()
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Without that, a seed could not be seen again.
#[test]
#[cfg(target_os = "linux")]
fn one_seed_is_one_course_of_events() {
    for seed in [1, 2, 3, 5, 8, 13, 21, 34] {
        let [one, other] = [run(seed, &["log"]), run(seed, &["log"])];
        let [one, other] = [one, other].map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
        let differs = one
            .lines()
            .zip(other.lines())
            .find(|(one, other)| one != other);
        assert_eq!(differs, None, "seed {seed}");
        assert_eq!(one.len(), other.len(), "seed {seed}");
    }
}
