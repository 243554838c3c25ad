//! Runs `POSTHASTE_SEEDS` seeds (default: 300). With `POSTHASTE_SEED`, runs that seed and prints
//! its steps.

use std::{
    collections::BTreeSet,
    env,
    process::{Command, Output},
    sync::atomic::{AtomicU64, Ordering},
    thread,
};
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

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn visits(seed: u64, log: &[&str]) -> Result<BTreeSet<String>, String> {
    let done = run(seed, log);
    let [steps, why] = [done.stdout, done.stderr].map(|it| text(&it));
    if !done.status.success() {
        return Err(format!(
            "{steps}\n{why}\nto see it again: POSTHASTE_SEED={seed} cargo test -p simulation --test seeds"
        ));
    }
    let reached = steps
        .lines()
        .filter_map(|line| line.strip_prefix("reached: "));
    Ok(reached.map(str::to_owned).collect())
}

/// Fails if a rare state was not visited, because the rules about it were not tested then.
fn assert_all_reached(reached: &BTreeSet<String>) {
    let mut simulation = Command::new(env!("CARGO_BIN_EXE_simulation"));
    let all = simulation.arg("states").output();
    let all = text(&all.expect("the simulation starts").stdout);
    let missed: Vec<_> = all.lines().filter(|it| !reached.contains(*it)).collect();
    assert!(missed.is_empty(), "no seed reached: {missed:?}");
}

#[test]
fn nothing_is_lost_doubled_reordered_or_seen_by_others() {
    if let Some(seed) = number("POSTHASTE_SEED") {
        if let Err(failed) = visits(seed, &["log"]) {
            panic!("{failed}");
        }
        return;
    }
    let (seeds, next) = (
        number("POSTHASTE_SEEDS").unwrap_or(SEEDS),
        AtomicU64::new(0),
    );
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut reached = BTreeSet::new();
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= seeds {
                return Ok(reached);
            }
            let visited = visits(seed, &[]);
            if visited.is_err() {
                next.store(seeds, Ordering::SeqCst);
            }
            reached.extend(visited?);
        }
    };
    let ended: Vec<Result<_, String>> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = running.into_iter();
        ended.map(|it| it.join().expect("it ends")).collect()
    });
    let failed: Vec<_> = ended.iter().filter_map(|it| it.clone().err()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    if seeds >= SEEDS {
        assert_all_reached(&ended.into_iter().flatten().flatten().collect());
    }
}
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
