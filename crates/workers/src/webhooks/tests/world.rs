use super::*;

#[derive(Clone, Debug)]
pub struct Call {
    pub host: String,
    pub event: String,
    pub body: String,
    /// The time since the start.
    pub at: Duration,
}

pub struct Receivers {
    pub start: Instant,
    pub times: HashMap<&'static str, Duration>,
    pub others: Duration,
    pub under_way: AtomicUsize,
    pub most: AtomicUsize,
    pub begun: AtomicUsize,
    pub calls: Mutex<Vec<Call>>,
}

impl Receivers {
    pub fn new(times: impl IntoIterator<Item = (&'static str, Duration)>) -> Arc<Self> {
        Self::with_others(times, Duration::ZERO)
    }

    pub fn with_others(
        times: impl IntoIterator<Item = (&'static str, Duration)>,
        others: Duration,
    ) -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            times: times.into_iter().collect(),
            others,
            under_way: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            calls: Mutex::default(),
        })
    }

    pub fn calls_of(&self, host: &str) -> Vec<Call> {
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
        let time = *self.times.get(host.as_str()).unwrap_or(&self.others);
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

pub struct Postings(Arc<MemoryStore>, pub AtomicBool);

pub const BROKEN: &str = "job-broken";

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

    async fn as_of(
        &self,
        identifier: &SourceIdentifier,
        moment: AsOf,
    ) -> Result<Option<PostingView>, StoreError> {
        PostingReader::as_of(&*self.0, identifier, moment).await
    }

    async fn versions(
        &self,
        identifier: &SourceIdentifier,
        before: Option<Version>,
        limit: usize,
    ) -> Result<Option<Vec<PostingVersion>>, StoreError> {
        PostingReader::versions(&*self.0, identifier, before, limit).await
    }
}

pub async fn register(store: &MemoryStore, endpoint: &Endpoint) {
    let inserted = Webhooks::insert(store, endpoint, Cursor::START, None).await;
    inserted.unwrap();
}

pub struct World {
    stores: TestStores,
    pub store: Arc<MemoryStore>,
    pub postings: Arc<Postings>,
    pub receivers: Arc<Receivers>,
    pub questions: Arc<AtomicUsize>,
    pub commits: Arc<AtomicUsize>,
    pub is_away: Arc<AtomicBool>,
    pub clock: Clock,
}

impl World {
    pub async fn new(endpoints: u8, receivers: Arc<Receivers>) -> Self {
        let stores = TestStores::new();
        let store = Arc::clone(&stores.faulty.memory);
        for n in 1..=endpoints {
            register(&store, &endpoint(n)).await;
        }
        let start = receivers.start;
        Self {
            postings: Arc::new(Postings(Arc::clone(&store), AtomicBool::new(false))),
            stores,
            store,
            receivers,
            questions: Arc::default(),
            commits: Arc::default(),
            is_away: Arc::default(),
            clock: Arc::new(move || noon() + start.elapsed()),
        }
    }

    pub fn worker(&self) -> (CancellationToken, tokio::task::JoinHandle<()>) {
        let settings = WorkerSettings {
            schedule: "5,60".parse().unwrap(),
            ..WorkerSettings::default()
        };
        let mut parts = self.stores.parts(&self.clock, &settings);
        parts.stores.webhooks = Arc::new(slow::SlowEndpoints {
            memory: Arc::clone(&self.store),
            questions: Arc::clone(&self.questions),
            commits: Arc::clone(&self.commits),
            is_away: Arc::clone(&self.is_away),
        });
        parts.stores.postings = Arc::clone(&self.postings) as _;
        parts.sender = Arc::clone(&self.receivers) as _;
        parts.body = Arc::new(|_, event, posting| {
            let title = posting.map(|view| view.posting.details.title.clone());
            let why = match &event.subject {
                Subject::Posting(posting) => posting.status_reason.as_deref(),
                _ => None,
            };
            Ok(format!("{} {title:?}{}", event.name, why.unwrap_or_default()).into_bytes())
        });
        let deliveries = Deliveries::new(Arc::new(parts));
        let stop = CancellationToken::new();
        let task = tokio::spawn(deliveries.run(stop.clone()));
        (stop, task)
    }

    pub async fn publish(&self, numbers: std::ops::Range<usize>) {
        self.put(numbers.map(|n| format!("job-{n}"))).await;
    }

    pub async fn put(&self, identifiers: impl IntoIterator<Item = String>) {
        let identifiers = identifiers.into_iter();
        let puts: Vec<_> = identifiers.map(|it| create(&it, "acme")).collect();
        let lifetime = Lifetime::days(60);
        let answers = usecase::ingest(&*self.store, &puts, lifetime, (self.clock)()).await;
        assert!(answers.unwrap().iter().all(Result::is_ok));
        self.notify();
    }

    pub fn notify(&self) {
        self.stores.wake.call_readers();
    }

    pub async fn events(&self) -> Vec<RecordedEvent> {
        let query = LogQuery {
            after: None,
            names: PUBLIC.to_vec(),
            prefixes: Prefixes::ALL,
            reader: None,
            limit: usize::MAX,
        };
        self.store.read(&query).await.unwrap().events
    }

    pub async fn add_client(&self, n: u8, prefixes: &[&str]) -> Client {
        let mut client = client(n.into());
        client.scopes.push(Scope::WebhooksManage);
        client.prefixes = Prefixes::new(prefixes).unwrap();
        Clients::insert(&*self.store, &client, None).await.unwrap();
        let mut of_client = endpoint(n);
        of_client.owner = Owner::Client(client.id);
        register(&self.store, &of_client).await;
        client
    }

    pub async fn write(&self, write: Option<ClientWrite>) {
        let written = Clients::update(&*self.store, &write.unwrap(), None).await;
        written.unwrap();
    }

    pub async fn assert_complete(&self, host: &str) {
        let calls = self.receivers.calls_of(host).into_iter();
        let mut called: Vec<_> = calls.map(|call| call.event).collect();
        called.sort();
        let events = self.events().await.into_iter();
        let all: Vec<_> = events.map(|event| event.cursor.to_string()).collect();
        assert_eq!(called.len(), all.len(), "{host}");
        assert_eq!(called, all, "{host}");
    }
}

pub const HOSTS: [&str; 5] = [
    "receiver-1.example",
    "receiver-2.example",
    "receiver-3.example",
    "receiver-4.example",
    "receiver-5.example",
];

pub const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

impl World {
    pub async fn set(&self, state: WantedState) {
        let change = EndpointChange {
            state: Patch::Set(state),
            ..EndpointChange::default()
        };
        let found = Webhooks::find(&*self.store, endpoint(1).id).await;
        let write = found.unwrap().unwrap().endpoint.apply(&change, noon());
        let written = Webhooks::update(&*self.store, &write.unwrap(), None).await;
        written.unwrap();
    }
}
