//! Workers on a store in memory, with receivers that take their time; the clock is paused.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use async_trait::async_trait;
use domain::{
    client::{ClientChange, Prefixes},
    event::{Cursor, EventLog as _, LogQuery, RecordedEvent},
    field::Patch,
    posting::{SourceIdentifier, event::PUBLIC},
    store::{ListQuery, PostingPage},
    testing::{MemoryStore, client, create, endpoint, noon},
    usecase,
    webhook::{
        AddressProblem, Attempt, CLIENT_REVOKED, Delivery, Endpoint, EndpointChange, EndpointState,
        EndpointUrl, Owner, WINDOW, WantedState,
    },
};

use super::*;

mod slow;

/// A call that a receiver has answered.
#[derive(Clone, Debug)]
struct Call {
    host: String,
    event: String,
    body: String,
    /// The time since the start.
    at: Duration,
}

/// Receivers that answer 200 after their time.
struct Receivers {
    start: Instant,
    times: HashMap<&'static str, Duration>,
    under_way: AtomicUsize,
    most: AtomicUsize,
    begun: AtomicUsize,
    calls: Mutex<Vec<Call>>,
}

impl Receivers {
    fn new(times: impl IntoIterator<Item = (&'static str, Duration)>) -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            times: times.into_iter().collect(),
            under_way: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            calls: Mutex::default(),
        })
    }

    fn calls_of(&self, host: &str) -> Vec<Call> {
        let calls = self.calls.lock().unwrap();
        calls
            .iter()
            .filter(|call| call.host == host)
            .cloned()
            .collect()
    }
}

#[async_trait]
impl Sender for Receivers {
    async fn send(&self, delivery: &Delivery<'_>) -> Attempt {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let many = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(many, Ordering::SeqCst);
        let host = delivery.url.name().unwrap().to_owned();
        let time = self.times.get(host.as_str()).copied().unwrap_or_default();
        sleep(time).await;
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        let call = Call {
            host,
            event: delivery.id.to_owned(),
            body: String::from_utf8(delivery.body.to_vec()).unwrap(),
            at: self.start.elapsed(),
        };
        self.calls.lock().unwrap().push(call);
        Attempt::answered(200, None, time)
    }

    async fn check(&self, _: &EndpointUrl) -> Result<(), AddressProblem> {
        Ok(())
    }
}

/// Postings that can be away, and of which one is broken.
struct Postings(Arc<MemoryStore>, AtomicBool);

const BROKEN: &str = "job-broken";

#[async_trait]
impl PostingReader for Postings {
    async fn find(&self, identifier: &SourceIdentifier) -> Result<Option<PostingView>, StoreError> {
        if self.1.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("a test".to_owned()));
        }
        if identifier.as_str() == BROKEN {
            return Err(StoreError::Broken("a test".to_owned()));
        }
        PostingReader::find(&*self.0, identifier).await
    }

    async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError> {
        PostingReader::list(&*self.0, query).await
    }
}

async fn register(store: &MemoryStore, endpoint: &Endpoint) {
    let inserted = Webhooks::insert(store, endpoint, Cursor::START, None).await;
    inserted.unwrap();
}

struct World {
    store: Arc<MemoryStore>,
    postings: Arc<Postings>,
    receivers: Arc<Receivers>,
    recorded: Arc<Notify>,
    /// The number of questions for endpoints.
    questions: Arc<AtomicUsize>,
    /// The number of commits at the end of rounds.
    commits: Arc<AtomicUsize>,
    /// Whether leases and rounds cannot be written.
    is_away: Arc<AtomicBool>,
    clock: Clock,
}

impl World {
    async fn new(endpoints: u8, receivers: Arc<Receivers>) -> Self {
        let store = Arc::new(MemoryStore::new());
        for n in 1..=endpoints {
            register(&store, &endpoint(n)).await;
        }
        let start = receivers.start;
        Self {
            postings: Arc::new(Postings(Arc::clone(&store), AtomicBool::new(false))),
            store,
            receivers,
            recorded: Arc::default(),
            questions: Arc::default(),
            commits: Arc::default(),
            is_away: Arc::default(),
            clock: Arc::new(move || noon() + start.elapsed()),
        }
    }

    fn worker(&self) -> (CancellationToken, tokio::task::JoinHandle<()>) {
        let deliveries = Deliveries::new(DeliveryParts {
            webhooks: WebhookParts {
                endpoints: Arc::new(slow::SlowEndpoints(
                    Arc::clone(&self.store),
                    Arc::clone(&self.questions),
                    Arc::clone(&self.commits),
                    Arc::clone(&self.is_away),
                )),
                postings: Arc::clone(&self.postings) as _,
                clients: Arc::clone(&self.store) as _,
                sender: Arc::clone(&self.receivers) as _,
                body: Arc::new(|event, posting| {
                    let title = posting.map(|view| view.posting.details.title.clone());
                    Ok(format!("{} {title:?}", event.name).into_bytes())
                }),
                schedule: "5,60".parse().unwrap(),
            },
            log: Arc::clone(&self.store) as _,
            clock: Arc::clone(&self.clock),
            recorded: Arc::clone(&self.recorded),
            settings: DeliverySettings {
                lease: Duration::from_secs(30),
                renew_every: Duration::from_secs(10),
                poll_every: Duration::from_secs(1),
                stop_within: Duration::from_secs(10),
            },
        });
        let stop = CancellationToken::new();
        let task = tokio::spawn(deliveries.run(stop.clone()));
        (stop, task)
    }

    /// Makes postings, one event each.
    async fn publish(&self, numbers: std::ops::Range<usize>) {
        self.put(numbers.map(|n| format!("job-{n}"))).await;
    }

    async fn put(&self, identifiers: impl IntoIterator<Item = String>) {
        let identifiers = identifiers.into_iter();
        let puts: Vec<_> = identifiers.map(|it| create(&it, "acme")).collect();
        let lifetime = domain::posting::Lifetime::days(60);
        let answers = usecase::ingest(&*self.store, &puts, lifetime, (self.clock)()).await;
        assert!(answers.unwrap().iter().all(Result::is_ok));
        self.recorded.notify_one();
    }

    async fn events(&self) -> Vec<RecordedEvent> {
        let query = LogQuery {
            after: None,
            names: PUBLIC.to_vec(),
            prefixes: Prefixes::ALL,
            limit: usize::MAX,
        };
        self.store.read(&query).await.unwrap().events
    }

    /// Checks that an endpoint got every event once.
    async fn assert_complete(&self, host: &str) {
        let calls = self.receivers.calls_of(host).into_iter();
        let mut called: Vec<_> = calls.map(|call| call.event).collect();
        called.sort();
        let events = self.events().await.into_iter();
        let all: Vec<_> = events.map(|event| event.cursor.to_string()).collect();
        assert_eq!(called.len(), all.len(), "{host}");
        assert_eq!(called, all, "{host}");
    }
}

const HOSTS: [&str; 5] = [
    "receiver-1.example",
    "receiver-2.example",
    "receiver-3.example",
    "receiver-4.example",
    "receiver-5.example",
];

const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// Four slow ones take all permits, and the fifth gets its events when they are written.
#[tokio::test(start_paused = true)]
async fn a_slow_endpoint_does_not_delay_another() {
    let slow = HOSTS[..4].iter().map(|host| (*host, secs(14)));
    let world = World::new(5, Receivers::new(slow)).await;
    let (stop, task) = world.worker();
    world.publish(0..500).await;
    sleep(secs(3)).await;
    world.publish(500..501).await;
    sleep(secs(1)).await;
    world.assert_complete(HOSTS[4]).await;
    let last = world.receivers.calls_of(HOSTS[4]).pop().unwrap();
    assert!(last.at < secs(4), "{last:?}");
    assert!(world.receivers.most.load(Ordering::SeqCst) <= FURTHER_ATTEMPTS + 5);
    sleep(secs(600)).await;
    for host in HOSTS {
        world.assert_complete(host).await;
    }
    stop.cancel();
    task.await.unwrap();
}

/// Five slow ones took all further permits first, and let the sixth have its share of them.
#[tokio::test(start_paused = true)]
async fn slow_endpoints_leave_permits_to_others() {
    let slow = HOSTS.map(|host| (host, Duration::from_millis(14_900)));
    let last = ("receiver-6.example", secs(1));
    let world = World::new(6, Receivers::new(slow.into_iter().chain([last]))).await;
    let (stop, task) = world.worker();
    world.publish(0..200).await;
    sleep(secs(28)).await;
    world.assert_complete(last.0).await;
    assert!(world.receivers.most.load(Ordering::SeqCst) <= FURTHER_ATTEMPTS + 6);
    stop.cancel();
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn two_workers_deliver_each_event_once() {
    let times = HOSTS.map(|host| (host, Duration::from_millis(700)));
    let world = World::new(5, Receivers::new(times)).await;
    let (first, second) = (world.worker(), world.worker());
    for n in 0..30 {
        world.publish(n * 20..n * 20 + 20).await;
        sleep(Duration::from_millis(900)).await;
    }
    sleep(secs(60)).await;
    for host in HOSTS {
        world.assert_complete(host).await;
    }
    for (stop, task) in [first, second] {
        stop.cancel();
        task.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn many_commits_are_few_questions_for_endpoints() {
    let world = World::new(0, Receivers::new([])).await;
    let (stop, task) = world.worker();
    for _ in 0..1_000 {
        world.recorded.notify_one();
        sleep(Duration::from_millis(1)).await;
    }
    let questions = world.questions.load(Ordering::SeqCst);
    assert!((10..=25).contains(&questions), "{questions}");
    stop.cancel();
    task.await.unwrap();
}

/// The store answers late that a round was recorded, and by then the next one is under way.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_round_does_not_end_the_lease_of_the_next() {
    let times = [(HOSTS[0], Duration::from_millis(700))];
    let world = World::new(1, Receivers::new(times)).await;
    let (stop, task) = world.worker();
    for n in 0..60 {
        world.publish(n..n + 1).await;
        sleep(Duration::from_millis(40)).await;
    }
    sleep(secs(30)).await;
    world.assert_complete(HOSTS[0]).await;
    stop.cancel();
    task.await.unwrap();
}

impl World {
    /// Changes the first endpoint.
    async fn change(&self, change: EndpointChange) {
        let found = Webhooks::find(&*self.store, endpoint(1).id).await;
        let write = found.unwrap().unwrap().endpoint.apply(&change, noon());
        let write = write.unwrap();
        Webhooks::update(&*self.store, &write, None).await.unwrap();
    }

    async fn set(&self, state: WantedState) {
        let state = Patch::Set(state);
        self.change(EndpointChange {
            state,
            ..EndpointChange::default()
        })
        .await;
    }
}

/// Its round is longer than a lease that is not renewed. When it is paused, what is under way is
/// still recorded, and nothing comes twice.
#[tokio::test(start_paused = true)]
async fn leases_are_renewed_and_a_paused_endpoint_ends_the_round() {
    let world = World::new(1, Receivers::new([(HOSTS[0], secs(14))])).await;
    let (first, second) = (world.worker(), world.worker());
    world.publish(0..WINDOW * 4).await;
    sleep(secs(30)).await;
    // The other worker has attempted nothing.
    assert_eq!(world.receivers.begun.load(Ordering::SeqCst), WINDOW * 3);
    world.set(WantedState::Paused).await;
    sleep(secs(60)).await;
    assert_eq!(world.receivers.calls_of(HOSTS[0]).len(), WINDOW * 3);
    let deliveries = world.store.deliveries(endpoint(1).id, 100).await;
    assert_eq!(deliveries.unwrap().len(), WINDOW * 3);
    world.set(WantedState::Active).await;
    sleep(secs(30)).await;
    world.assert_complete(HOSTS[0]).await;
    for (stop, task) in [first, second] {
        stop.cancel();
        task.await.unwrap();
    }
}

/// Within the time in which leases are renewed; what failed before is due again at once.
#[tokio::test(start_paused = true)]
async fn an_endpoint_that_was_moved_is_called_at_its_new_address() {
    let world = World::new(1, Receivers::new([(HOSTS[0], secs(3))])).await;
    let (stop, task) = world.worker();
    world.publish(0..WINDOW * 8).await;
    sleep(secs(4)).await;
    let url = EndpointUrl::from_store("https://receiver-2.example/").unwrap();
    let url = Patch::Set(url);
    world
        .change(EndpointChange {
            url,
            ..EndpointChange::default()
        })
        .await;
    sleep(secs(12)).await;
    let old = world.receivers.calls_of(HOSTS[0]);
    assert_eq!(old.len(), WINDOW * 4);
    assert_eq!(world.receivers.calls_of(HOSTS[1]).len(), WINDOW * 4);
    stop.cancel();
    task.await.unwrap();
}

/// For longer than a lease. The round ends when its lease is over, and is recorded afterwards.
#[tokio::test(start_paused = true)]
async fn a_round_outlives_an_outage_of_the_store() {
    let world = World::new(1, Receivers::new([(HOSTS[0], secs(5))])).await;
    let (stop, task) = world.worker();
    world.publish(0..WINDOW * 7).await;
    sleep(secs(1)).await;
    world.is_away.store(true, Ordering::SeqCst);
    sleep(secs(59)).await;
    // It has begun none since 24 seconds after the beginning.
    assert_eq!(world.receivers.calls_of(HOSTS[0]).len(), WINDOW * 5);
    world.is_away.store(false, Ordering::SeqCst);
    sleep(secs(30)).await;
    world.assert_complete(HOSTS[0]).await;
    stop.cancel();
    task.await.unwrap();
}

/// Those that take longer than a stop may are not waited for, and the others are recorded.
#[tokio::test(start_paused = true)]
async fn a_stop_records_what_is_delivered_by_then() {
    let world = World::new(
        2,
        Receivers::new([(HOSTS[0], secs(4)), (HOSTS[1], secs(14))]),
    )
    .await;
    let (stop, task) = world.worker();
    world.publish(0..WINDOW * 2).await;
    sleep(secs(5)).await;
    stop.cancel();
    let start = Instant::now();
    task.await.unwrap();
    assert!(start.elapsed() < secs(10));
    let of = |n| world.store.deliveries(endpoint(n).id, 100);
    assert_eq!(of(1).await.unwrap().len(), WINDOW * 2);
    assert_eq!(of(2).await.unwrap().len(), 0);
}

/// Of endpoints that want nothing of what is pushed all the time, and of more than may have a round
/// at once, each makes about a round a second, and the commits are few.
#[tokio::test(start_paused = true)]
async fn endpoints_that_want_nothing_cost_few_commits() {
    const ENDPOINTS: u8 = 200;
    let world = World::new(0, Receivers::new([])).await;
    for n in 1..=ENDPOINTS {
        let mut other = endpoint(n);
        // No owner may have as many.
        other.owner = Owner::Client(client(n.into()).id);
        other.prefixes = Prefixes::new(&["other-"]).unwrap();
        register(&world.store, &other).await;
    }
    let (stop, task) = world.worker();
    for n in 0..200 {
        world.publish(n..n + 1).await;
        sleep(Duration::from_millis(50)).await;
    }
    let commits = world.commits.load(Ordering::SeqCst);
    assert!(commits <= 60, "{commits}");
    let behind = world.events().await[140].cursor;
    for n in 1..=ENDPOINTS {
        let found = Webhooks::find(&*world.store, endpoint(n).id).await;
        assert!(found.unwrap().unwrap().cursor > behind, "{n}");
    }
    stop.cancel();
    task.await.unwrap();
}

/// Another worker takes over its endpoints at once.
#[tokio::test(start_paused = true)]
async fn a_worker_that_stops_finishes_attempts_under_way() {
    let world = World::new(1, Receivers::new([(HOSTS[0], secs(4))])).await;
    let (stop, task) = world.worker();
    world.publish(0..WINDOW * 3).await;
    sleep(secs(5)).await;
    stop.cancel();
    task.await.unwrap();
    assert_eq!(world.receivers.calls_of(HOSTS[0]).len(), WINDOW * 2);
    assert_eq!(world.receivers.under_way.load(Ordering::SeqCst), 0);
    let (stop, task) = world.worker();
    sleep(secs(5)).await;
    world.assert_complete(HOSTS[0]).await;
    stop.cancel();
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_client_gets_the_events_that_it_may_read_at_the_time() {
    let world = World::new(1, Receivers::new([])).await;
    let mut client = client(1);
    client.prefixes = Prefixes::new(&["job-0"]).unwrap();
    let mut of_client = endpoint(2);
    of_client.owner = Owner::Client(client.id);
    register(&world.store, &of_client).await;
    Clients::insert(&*world.store, &client, None).await.unwrap();
    let (stop, task) = world.worker();
    world.publish(0..3).await;
    sleep(secs(5)).await;
    world.assert_complete(HOSTS[0]).await;
    assert_eq!(world.receivers.calls_of(HOSTS[1]).len(), 1);
    let change = ClientChange {
        prefixes: Prefixes::new(&["job-3"]).ok(),
        ..ClientChange::default()
    };
    let write = client.apply(&change).unwrap();
    Clients::update(&*world.store, &write, None).await.unwrap();
    world.publish(3..5).await;
    sleep(secs(5)).await;
    assert_eq!(world.receivers.calls_of(HOSTS[1]).len(), 2);
    stop.cancel();
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_revoked_client_is_told_nothing_more() {
    let world = World::new(1, Receivers::new([])).await;
    let client = client(1);
    let mut of_client = endpoint(2);
    of_client.owner = Owner::Client(client.id);
    register(&world.store, &of_client).await;
    Clients::insert(&*world.store, &client, None).await.unwrap();
    let (stop, task) = world.worker();
    world.publish(0..1).await;
    sleep(secs(3)).await;
    world.assert_complete(HOSTS[1]).await;
    let write = client.revoke(noon()).unwrap();
    let revoked = Clients::update(&*world.store, &write, None).await;
    assert_eq!(revoked, Ok(()));
    world.publish(1..3).await;
    sleep(secs(30)).await;
    world.assert_complete(HOSTS[0]).await;
    assert_eq!(world.receivers.calls_of(HOSTS[1]).len(), 1);
    let found = Webhooks::find(&*world.store, of_client.id).await;
    let endpoint = found.unwrap().unwrap().endpoint;
    assert_eq!(endpoint.state, EndpointState::Disabled);
    assert_eq!(endpoint.state_reason.as_deref(), Some(CLIENT_REVOKED));
    stop.cancel();
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_event_carries_the_posting_as_it_is_when_it_can_be_read() {
    let world = World::new(1, Receivers::new([])).await;
    let mut with_posting = endpoint(2);
    with_posting.include_posting = true;
    register(&world.store, &with_posting).await;
    world.postings.1.store(true, Ordering::SeqCst);
    let (stop, task) = world.worker();
    world.publish(0..3).await;
    sleep(secs(30)).await;
    world.assert_complete(HOSTS[0]).await;
    assert!(world.receivers.calls_of(HOSTS[1]).is_empty());
    world.postings.1.store(false, Ordering::SeqCst);
    sleep(secs(3)).await;
    world.assert_complete(HOSTS[1]).await;
    // That the posting could not be read was not the receiver's failure.
    let deliveries = world.store.deliveries(endpoint(2).id, 9).await.unwrap();
    assert!(deliveries.iter().all(|row| row.attempt == 1));
    let body = |host| world.receivers.calls_of(host)[0].body.clone();
    assert_eq!(body(HOSTS[0]), "JobPostingCreated None");
    assert_eq!(
        body(HOSTS[1]),
        r#"JobPostingCreated Some("Engineer job-0")"#
    );
    stop.cancel();
    task.await.unwrap();
}

/// It is tried by the schedule, and the others pass it.
#[tokio::test(start_paused = true)]
async fn an_event_whose_posting_is_broken_is_given_up() {
    let world = World::new(0, Receivers::new([])).await;
    let mut with_posting = endpoint(1);
    with_posting.include_posting = true;
    register(&world.store, &with_posting).await;
    let (stop, task) = world.worker();
    world.put([BROKEN.to_owned()]).await;
    world.publish(0..3).await;
    sleep(secs(3)).await;
    assert_eq!(world.receivers.calls_of(HOSTS[0]).len(), 3);
    sleep(secs(100)).await;
    let deliveries = world.store.deliveries(endpoint(1).id, 9).await.unwrap();
    let broken = deliveries.iter().filter(|row| row.error.is_some());
    let errors: Vec<_> = broken.map(|row| row.error.as_deref()).collect();
    let why = "the request cannot be made: an internal error";
    let last = format!("{why}; given up after 3 attempts");
    assert_eq!(errors, [Some(last.as_str()), Some(why), Some(why)]);
    stop.cancel();
    task.await.unwrap();
}
