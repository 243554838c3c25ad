//! Simulates the whole service: several processes with lanes, imports, workers, deliveries and the
//! newsletter's sync, on one store in memory, in virtual time, with faults drawn from a seed.
//!
//! `simulation SEED` runs one seed, `simulation SEED log` prints all its steps, and `simulation
//! states` prints all rare states. One operating-system process runs one seed, because the
//! randomness of the whole process follows from it ([`entropy`]). The tests run many seeds.
//!
//! - [`world`] is shared, [`process`] is one process, [`link`] is where it is delayed, fails and
//!   dies. [`ports`] is the store behind the link.
//! - A process calls [`outside`]; [`clients`], [`imports`] and [`people`] call it.
//! - [`judge`] checks each commit, [`checks`] and [`subscribers`] check the end state, against the
//!   [`book`], [`catalogues`] and [`deliveries`].
//! - [`reached`] names the rare states.

mod book;
mod catalogues;
mod checks;
mod clients;
mod deliveries;
mod dice;
mod entropy;
mod imports;
mod integrations;
mod judge;
mod link;
mod outside;
mod people;
mod ports;
mod process;
mod reached;
mod restores;
mod subscribers;
mod world;

use std::{
    env,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use access::{Clients, Scope, testing::client};
use kernel::{
    event::Cursor,
    outbox::{Outbox as _, Revive},
};
use tokio::{runtime::Builder, task::JoinSet, time::sleep};
use webhooks::{Owner, Webhooks, testing::endpoint};

use crate::{integrations::CLIENTS, process::Process, reached::Reached, world::World};

const REACHED: &str = "reached: ";

const LAST_STEPS: usize = 60;

/// How often the end state is checked: in all, and before clocks are put forward.
const LOOKS: usize = 600;
const LOOKS_BEFORE_JUMP: usize = 60;
/// How far clocks are put forward, in seconds.
const JUMP: i64 = 900;
static PANICKED: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let seed = arguments.next();
    if seed.as_deref() == Some("states") {
        for state in Reached::ALL {
            println!("{}", state.as_str());
        }
        return ExitCode::SUCCESS;
    }
    let Some(seed) = seed.and_then(|seed| seed.parse().ok()) else {
        eprintln!("usage: simulation SEED [log] | simulation states");
        return ExitCode::FAILURE;
    };
    let prints_all = arguments.next().is_some();
    entropy::follow(seed);
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICKED.store(true, Ordering::SeqCst);
        print(panic);
    }));
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .max_blocking_threads(1)
        .thread_keep_alive(Duration::from_hours(1))
        .build()
        .unwrap();
    let world = runtime.block_on(async {
        let world = Arc::new(World::new(seed));
        tokio::select! {
            biased;
            () = world.failed.cancelled() => {}
            () = simulate(&world) => {}
        }
        world
    });
    runtime.shutdown_background();
    let book = world.book();
    let has_failed = !book.violations.is_empty() || PANICKED.load(Ordering::SeqCst);
    let first = if prints_all {
        0
    } else if has_failed {
        book.log.len().saturating_sub(LAST_STEPS)
    } else {
        book.log.len()
    };
    for step in &book.log[first..] {
        println!("{step}");
    }
    for state in &book.reached {
        println!("{REACHED}{}", state.as_str());
    }
    if has_failed {
        eprintln!("seed {seed} fails: {:#?}", book.violations);
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

async fn simulate(world: &Arc<World>) {
    register(world).await;
    let mut simulation = Simulation {
        processes: Vec::new(),
        started: 0,
        tasks: JoinSet::new(),
        world: Arc::clone(world),
    };
    for _ in 0..=world.dice.below(3) {
        simulation.start();
    }
    for _ in 0..30 + world.dice.below(50) {
        sleep(world.dice.millis(0, 2_500)).await;
        simulation.replace_dead();
        simulation.step();
    }
    world.end_faults();
    simulation.tasks.join_all().await;
    simulation.tasks = JoinSet::new();
    simulation.replace_dead();
    simulation.settle().await;
    let process = Arc::clone(&simulation.processes[0]);
    for client in CLIENTS {
        let catalogue = imports::Whole::import(world, &process, client).await;
        simulation.settle().await;
        catalogue.import_again(world, &process).await;
        catalogue.undo(world, &process).await;
        simulation.settle().await;
    }
    checks::check(world).await;
}

async fn register(world: &World) {
    for one in CLIENTS {
        let mut client = client(one.number.into());
        client.scopes.push(Scope::WebhooksManage);
        client.prefixes = one.prefixes();
        Clients::insert(&*world.memory, &client, None)
            .await
            .unwrap();
        let mut endpoint = endpoint(one.number);
        endpoint.owner = Owner::Client(client.id);
        let endpoints: &dyn Webhooks = &*world.memory;
        let inserted = endpoints.insert(&endpoint, Cursor::START, None).await;
        inserted.unwrap();
    }
}
struct Simulation {
    world: Arc<World>,
    processes: Vec<Arc<Process>>,
    started: usize,
    tasks: JoinSet<()>,
}

impl Simulation {
    fn start(&mut self) {
        self.started += 1;
        let name = format!("p{}", self.started);
        let process = Process::start(&self.world, name);
        self.processes.push(Arc::new(process));
    }

    fn replace_dead(&mut self) {
        let before = self.processes.len();
        self.processes.retain(|process| !process.is_dead());
        for _ in self.processes.len()..before {
            self.start();
        }
    }

    fn step(&mut self) {
        let world = Arc::clone(&self.world);
        let process = Arc::clone(world.dice.pick(&self.processes));
        let client = *world.dice.pick(&CLIENTS);
        match world.dice.below(32) {
            0..=12 => {
                for _ in 0..=world.dice.below(5) {
                    let (world, process) = (Arc::clone(&world), Arc::clone(&process));
                    self.tasks.spawn(clients::push(world, process, client));
                }
            }
            13..=17 => {
                self.tasks.spawn(imports::imports(world, process, client));
            }
            18 | 19 => {
                self.tasks.spawn(imports::correct(world, process, client));
            }
            20 | 21 => {
                self.tasks.spawn(people::operate(world, process));
            }
            22 | 24..=26 => {
                self.tasks
                    .spawn(async move { people::member(&world, &process).await });
            }
            27 if !world.is_calm => process.kill(),
            28 if world.dice.one_in(4) => {
                // Leases may expire.
                world.jump(*world.dice.pick(&[20, 70, 50_000]));
            }
            29 if world.dice.one_in(2) => {
                self.tasks.spawn(people::replay(world, process, client));
            }
            29 => {
                let url = endpoint(client.number).url;
                world.silence(url.name().unwrap_or_default());
            }
            30 if world.dice.one_in(2) => {
                self.tasks.spawn(people::forget(world, process, client));
            }
            23 if world.dice.one_in(2) => {
                self.tasks.spawn(people::merge(world, process));
            }
            31 => {
                self.tasks.spawn(async move {
                    for _ in 0..60 {
                        let (world, process) = (Arc::clone(&world), Arc::clone(&process));
                        clients::push(world, process, client).await;
                    }
                });
            }
            _ => {}
        }
    }

    async fn settle(&self) {
        let world = &self.world;
        let mut waits_for = None;
        for look in 1..=LOOKS {
            sleep(Duration::from_secs(2)).await;
            people::hear(world, &self.processes[0]).await;
            let revived = world.memory.revive(&Revive::All, None, world.now()).await;
            if revived.unwrap() > 0 {
                world.note("an operator has what was given up done again");
            }
            waits_for = checks::unsettled(world)
                .await
                .or_else(|| self.place_taken());
            if waits_for.is_none() {
                break;
            }
            if look % LOOKS_BEFORE_JUMP == 0 {
                world.note(format!("{waits_for:?}"));
                world.jump(JUMP);
            }
        }
        world.check(waits_for.is_none(), || {
            format!("it never settles: {waits_for:?}")
        });
    }
    fn place_taken(&self) -> Option<String> {
        let taken = self.processes.iter().find_map(|process| {
            let under_way = process.lanes.under_way()();
            (under_way > 0).then_some((under_way, &process.link.name))
        });
        taken.map(|(under_way, name)| format!("{under_way} commands have places in {name}"))
    }
}
