use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use domain::{
    store::{LockedRows, Store},
    usecase::Ingest,
};
use futures_util::FutureExt as _;
use ingest::{CataloguePorts, ImportPorts, ImportTasks, Importer, LaneSettings, Lanes};
use runtime::{Clock, Loops, Throttle, clock::StoreTime};
use stores::Stores;
use tokio::time::sleep;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use workers::{Enriching, ObservedStore, Observer, Wake, WorkerParts, WorkerSettings};

use crate::{
    link::Link,
    outside::{Mail, Model, Receivers},
    ports::Port,
    reached::Reached,
    world::World,
};

pub struct Process {
    pub link: Arc<Link>,
    pub lanes: Arc<Lanes>,
    pub imports: Arc<Importer>,
    pub store: Arc<ObservedStore<Port>>,
    /// The store's clock, as this process knows it.
    pub clock: Clock,
    tasks: Mutex<Option<(Loops, ImportTasks, Loops)>>,
    _following: AbortOnDropHandle<()>,
}

/// The largest number of seconds by which a process's clock is ahead.
const MOST_AHEAD: u64 = 61;

/// Returns a clock that follows the store's: measured at the start, and then at intervals.
fn follow(machine: &Clock, port: &Arc<Port>) -> (Clock, AbortOnDropHandle<()>) {
    let time = Arc::new(StoreTime::new(Arc::clone(machine), Arc::clone(machine)));
    let opened = time.measure(&*port.0.world).now_or_never();
    assert!(opened.is_some_and(|it| it.is_ok()));
    let (followed, port) = (Arc::clone(&time), Arc::clone(port));
    let following = tokio::spawn(async move { followed.follow(&*port).await });
    (
        Arc::new(move || time.now()),
        AbortOnDropHandle::new(following),
    )
}

fn settings(world: &World) -> (LaneSettings, WorkerSettings) {
    let few = |most| usize::try_from(1 + world.dice.below(most)).unwrap_or(1);
    let mut lanes = LaneSettings::default();
    (lanes.pushes.lanes, lanes.pushes.commits) = (few(2), few(4));
    lanes.pushes.batch = few(6);
    (lanes.lines.lanes, lanes.lines.batch) = (few(2), few(6));
    let worker = WorkerSettings {
        poll_every: Duration::from_secs(5),
        lifetime: world.lifetime,
        enrich_loops: few(2),
        claim_for_enrichment: few(3),
        enrich_at_once: 2,
        enrich_aside: false,
        enrich_within: Duration::from_secs(20),
        provider_loops: few(2),
        reconciles: world.dice.one_in(2),
        keep_reporters: Duration::from_mins(10),
        keep_expired_texts: Some(Duration::from_mins(10)),
        hold_content: Duration::from_mins(5),
        keep_versions: Some(Duration::from_mins(20)),
        schedule: "5,20,60,120,300".parse().unwrap(),
        ..WorkerSettings::default()
    };
    (lanes, worker)
}

impl Process {
    pub fn start(world: &Arc<World>, name: String) -> Self {
        let ahead = world.dice.below(MOST_AHEAD);
        world.note(format!("{name} starts, {ahead} s ahead"));
        let link = Arc::new(Link {
            world: Arc::clone(world),
            name,
            death: CancellationToken::new(),
        });
        let machine_clock: Clock = {
            let world = Arc::clone(world);
            Arc::new(move || world.now() + Duration::from_secs(ahead))
        };
        let port = Arc::new(Port(Arc::clone(&link)));
        let (clock, following) = follow(&machine_clock, &port);
        let (lane_settings, worker_settings) = settings(world);
        let wake = Arc::<Wake>::default();
        let observer = Observer {
            wake: Arc::clone(&wake),
            ..Observer::default()
        };
        let store = Arc::new(ObservedStore::new(Arc::clone(&port), observer));
        let as_store: Arc<dyn Store> = Arc::clone(&store) as _;
        let locks: Arc<dyn LockedRows> = Arc::clone(&port) as _;
        let (lanes, lane_tasks) =
            Lanes::start(&as_store, &locks, world.lifetime, &clock, lane_settings);
        let lanes = Arc::new(lanes);
        let throttle = Throttle(Arc::new(lanes.is_busy()));
        let (imports, import_tasks) = Importer::new(ImportPorts {
            ingest: Arc::clone(&lanes) as Arc<dyn Ingest>,
            lifetime: world.lifetime,
            catalogues: CataloguePorts {
                catalogues: Arc::clone(&port) as _,
                store: Arc::clone(&as_store),
                lifetime: world.lifetime,
                clock: Arc::clone(&clock),
            },
        });
        let worker = workers::start(WorkerParts {
            stores: Stores {
                store: as_store,
                newsletter: Arc::clone(&store) as _,
                outbox: Arc::clone(&port) as _,
                events: Arc::clone(&port) as _,
                accounts: Arc::clone(&port) as _,
                catalogues: Arc::clone(&port) as _,
                webhooks: Arc::clone(&port) as _,
                postings: Arc::clone(&port) as _,
                subscribers: Arc::clone(&port) as _,
                sign_in_tokens: Arc::clone(&port) as _,
                retention: Arc::clone(&port) as _,
                clients: Arc::clone(&port) as _,
                ..Stores::of(&world.memory)
            },
            enriching: Enriching {
                enricher: Arc::new(Model(Arc::clone(&link))),
                breaker: Arc::default(),
            },
            provider: Arc::new(Mail(Arc::clone(&link))),
            sender: Arc::new(Receivers(Arc::clone(&link))),
            body: Arc::new(|_, event, _| Ok(event.name.as_str().as_bytes().to_vec())),
            clock: Arc::clone(&clock),
            machine_clock,
            wake,
            throttle,
            tracer: None,
            settings: worker_settings,
        });
        Self {
            link,
            lanes,
            imports: Arc::new(imports),
            store,
            clock,
            tasks: Mutex::new(Some((lane_tasks, import_tasks, worker.unwrap()))),
            _following: following,
        }
    }

    pub fn kill(&self) {
        if self.is_dead() {
            return;
        }
        let world = &self.link.world;
        world.note(format!("{} is killed", self.link.name));
        world.reach(Reached::Death);
        world.excuse(Some(&self.link.name));
        self.link.death.cancel();
        drop(self.tasks.lock().unwrap().take());
    }
    pub fn is_dead(&self) -> bool {
        self.link.death.is_cancelled()
    }

    pub async fn answer_at_risk<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        let world = &self.link.world;
        let death = async {
            if world.may_go_wrong() && world.dice.one_in(4) {
                sleep(world.dice.millis(0, 16 * world.pace.1)).await;
                self.kill();
            }
        };
        tokio::join!(death, self.answer(call)).1
    }

    /// `None` if the process dies first.
    pub async fn answer<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.link.death.cancelled() => None,
            answer = call => Some(answer),
        }
    }
}
