use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use domain::{
    posting::event::{
        COMPANY_UPDATED, JOB_POSTING_CREATED, JOB_POSTING_ERASED, JOB_POSTING_REJECTED,
        JOB_POSTING_UPDATED, PUBLIC,
    },
    posting::{Ground, Lifetime, moderation::Moderation},
    store::{Store as _, WriteSet},
    testing::create,
    usecase,
};
use kernel::{
    CompanyId, DecisionCode, EventDecision,
    event::{Event, EventName, PostingState, RecordedEvent, Subject},
    testing::{by_ann, identifier, noon, uuid},
};
use newsletter::{tasks::INDIVIDUAL_MEMBERSHIP_UPDATED, testing::MemoryStore};
use time::OffsetDateTime;
use tokio::{
    task::{JoinHandle, JoinSet},
    time::{sleep, timeout},
};

use super::*;

const SECOND: Duration = Duration::from_secs(1);
const WAIT: Duration = Duration::from_secs(30);

#[derive(Default)]
struct CountingLog {
    memory: MemoryStore,
    reads: AtomicUsize,
    ends: AtomicUsize,
    failure: Mutex<Option<StoreError>>,
    /// Another process records this event just after the next read. The read's answer takes long.
    late: Mutex<Option<EventName>>,
}

impl CountingLog {
    async fn record(&self, names: &[EventName]) {
        let event = |name: &EventName| Event {
            name: name.clone(),
            subject: Subject::Other(uuid(1)),
            at: noon(),
            trace: None,
        };
        let mut writes = WriteSet::new(noon());
        writes.tasks.events = names.iter().map(event).collect();
        self.memory.commit(writes).await.unwrap();
    }

    fn queries(&self) -> usize {
        self.reads.load(Ordering::Relaxed) + self.ends.load(Ordering::Relaxed)
    }

    fn fail(&self, failure: Option<StoreError>) {
        *self.failure.lock().unwrap() = failure;
    }

    fn failure(&self) -> Result<(), StoreError> {
        self.failure.lock().unwrap().clone().map_or(Ok(()), Err)
    }
}

#[async_trait]
impl EventLog for CountingLog {
    async fn read(&self, query: &LogQuery) -> Result<LogPage, LogError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.failure()?;
        let page = self.memory.read(query).await;
        let late = self.late.lock().unwrap().take();
        if let Some(late) = late {
            self.record(&[late]).await;
            sleep(SECOND).await;
        }
        page
    }

    async fn events_at(&self, cursors: &[Cursor]) -> Result<Vec<RecordedEvent>, StoreError> {
        self.memory.events_at(cursors).await
    }

    async fn newest_of(
        &self,
        companies: &[CompanyId],
    ) -> Result<HashMap<CompanyId, Cursor>, StoreError> {
        self.memory.newest_of(companies).await
    }

    async fn end(&self) -> Result<Cursor, StoreError> {
        self.ends.fetch_add(1, Ordering::Relaxed);
        self.failure()?;
        self.memory.end().await
    }

    async fn cursor_at(&self, at: OffsetDateTime) -> Result<Cursor, StoreError> {
        self.memory.cursor_at(at).await
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<usize, StoreError> {
        self.memory.forget(before, limit).await
    }
}

struct Bench {
    log: Arc<CountingLog>,
    feed: Arc<Feed>,
    loops: Loops,
    recorded: Arc<Notify>,
}

impl Bench {
    fn new() -> Self {
        let (log, recorded) = (Arc::new(CountingLog::default()), Arc::new(Notify::new()));
        let mut loops = Loops::new(SECOND, "a test");
        let feed = Feed::start(Arc::clone(&log) as _, Arc::clone(&recorded), &mut loops);
        Self {
            log,
            feed: Arc::new(feed),
            loops,
            recorded,
        }
    }

    fn follow(
        &self,
        after: Option<Cursor>,
        names: &[EventName],
    ) -> JoinHandle<Result<LogPage, LogError>> {
        let (feed, query) = (Arc::clone(&self.feed), query(after, names));
        tokio::spawn(async move { feed.follow(&query, WAIT).await })
    }
}

fn query(after: Option<Cursor>, names: &[EventName]) -> LogQuery {
    LogQuery {
        after,
        names: names.to_vec(),
        prefixes: kernel::Prefixes::ALL,
        reader: None,
        limit: 100,
    }
}

fn names(page: &LogPage) -> Vec<&str> {
    let events = page.events.iter();
    events.map(|event| event.event.name.as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_thousand_readers_cost_one_query_a_tick() {
    let bench = Bench::new();
    let mut readers = JoinSet::new();
    for _ in 0..1_000 {
        let feed = Arc::clone(&bench.feed);
        readers.spawn(async move { feed.follow(&query(None, &PUBLIC), WAIT).await });
    }
    sleep(SECOND).await;
    // By then, each reader has read the log itself.
    let before = bench.log.queries();
    sleep(10 * SECOND).await;
    let queries = bench.log.queries() - before;
    assert!((50..=200).contains(&queries), "{queries}");
    let (before, began) = (bench.log.queries(), Instant::now());
    bench.log.record(&[JOB_POSTING_CREATED]).await;
    while let Some(page) = readers.join_next().await {
        assert_eq!(names(&page.unwrap().unwrap()), ["JobPostingCreated"]);
    }
    assert!(began.elapsed() <= 2 * Duration::from_millis(150));
    assert!(bench.log.queries() - before <= 3);
}

#[tokio::test(start_paused = true)]
async fn a_commit_of_this_process_does_not_wait_for_many_readers() {
    let bench = Bench::new();
    let readers: Vec<_> = (0..1_000).map(|_| bench.follow(None, &PUBLIC)).collect();
    sleep(SECOND).await;
    let began = Instant::now();
    bench.log.record(&[JOB_POSTING_CREATED]).await;
    bench.recorded.notify_one();
    for reader in readers {
        assert_eq!(reader.await.unwrap().unwrap().events.len(), 1);
    }
    assert!(began.elapsed() <= Duration::from_millis(55));
}

#[tokio::test(start_paused = true)]
async fn readers_are_answered_for_the_names_that_they_want() {
    let bench = Bench::new();
    let companies = bench.follow(None, &[COMPANY_UPDATED]);
    let updates = bench.follow(None, &[JOB_POSTING_UPDATED, JOB_POSTING_CREATED]);
    sleep(SECOND).await;
    let others = [INDIVIDUAL_MEMBERSHIP_UPDATED, JOB_POSTING_CREATED];
    bench.log.record(&others).await;
    let page = updates.await.unwrap().unwrap();
    assert_eq!(names(&page), ["JobPostingCreated"]);
    assert_eq!(page.next, bench.log.end().await.unwrap());
    sleep(SECOND).await;
    assert!(!companies.is_finished());
    let page = companies.await.unwrap().unwrap();
    assert_eq!(page.events, []);
    assert_eq!(page.next, bench.log.end().await.unwrap());
    assert!(!page.has_more);
}

#[tokio::test(start_paused = true)]
async fn an_event_between_the_read_and_the_wait_is_not_missed() {
    let bench = Bench::new();
    *bench.log.late.lock().unwrap() = Some(JOB_POSTING_CREATED);
    let began = Instant::now();
    let page = bench.feed.follow(&query(None, &PUBLIC), WAIT).await;
    assert_eq!(names(&page.unwrap()), ["JobPostingCreated"]);
    assert!(began.elapsed() < 2 * SECOND);
}

const fn cursor(sequence: u64) -> Cursor {
    Cursor {
        transaction: 0,
        sequence,
    }
}

fn recorded(name: EventName, subject: Subject, sequence: u64) -> RecordedEvent {
    RecordedEvent {
        cursor: cursor(sequence),
        event: Event {
            name,
            subject,
            at: noon(),
            trace: None,
        },
    }
}

fn page(events: Vec<RecordedEvent>, last: u64) -> LogPage {
    LogPage {
        events,
        next: cursor(last),
        has_more: false,
    }
}

fn decided() -> EventDecision {
    EventDecision {
        code: DecisionCode::OPERATOR,
        ground: Some(Ground::Terms),
        by_notice: false,
    }
}

fn rejected(n: u8) -> PostingState {
    let posting = domain::testing::posting(n.into(), CompanyId::new(uuid(9)));
    PostingState {
        status_reason: Some("words".to_owned()),
        decision: Some(decided()),
        ..PostingState::from(&posting)
    }
}

fn erased(state: &PostingState) -> PostingState {
    let mut state = state.clone();
    state.erase();
    state
}

#[tokio::test(start_paused = true)]
async fn what_was_erased_is_not_read_from_the_buffer() {
    let [one, other] = [1, 2].map(rejected);
    let event = |name: EventName, state: &PostingState, sequence| {
        recorded(name, Subject::Posting(state.clone()), sequence)
    };
    let mut buffer = Buffer::at(Cursor::START);
    let rejections = [(&one, 1), (&other, 2)].map(|(of, n)| event(JOB_POSTING_REJECTED, of, n));
    buffer.append(page(rejections.to_vec(), 2));
    let gone = event(JOB_POSTING_ERASED, &erased(&one), 3);
    buffer.append(page(vec![gone.clone()], 3));
    let without = event(JOB_POSTING_REJECTED, &erased(&one), 1);
    let expect = page(vec![without, rejections[1].clone(), gone], 3);
    let asked = query(Some(cursor(0)), &PUBLIC);
    assert_eq!(buffer.look(&asked), Found::Page(expect));
    // While the store is unavailable, the feed does not learn of erasures.
    sleep(6 * SECOND).await;
    assert_eq!(buffer.look(&asked), Found::Outside);
}

/// Another process erases the posting while this process does not follow the log.
#[tokio::test(start_paused = true)]
async fn a_reader_that_comes_back_after_an_erasure_gets_nothing_that_was_erased() {
    let bench = Bench::new();
    let start = bench.log.end().await.unwrap();
    let reader = bench.follow(Some(start), &[JOB_POSTING_REJECTED]);
    sleep(SECOND).await;
    let (memory, lifetime) = (&bench.log.memory, Lifetime::NEVER);
    let (id, by) = (identifier("a"), by_ann(1));
    let put = create("a", "acme");
    usecase::ingest(memory, &[put], lifetime, noon())
        .await
        .unwrap();
    let reject = Moderation::Reject {
        reason: "words".to_owned(),
        ground: Ground::Terms,
    };
    let moderated = usecase::moderate(memory, &id, &reject, None, &by, lifetime, noon()).await;
    moderated.unwrap();
    let told = |page: LogPage| {
        let states = page
            .events
            .into_iter()
            .filter_map(|it| match it.event.subject {
                Subject::Posting(posting) => Some((posting.status_reason, posting.decision)),
                _ => None,
            });
        states.collect::<Vec<_>>()
    };
    let rejection = told(reader.await.unwrap().unwrap());
    let expect = (Some("words".to_owned()), Some(decided()));
    assert_eq!(rejection, [expect]);

    let erased = usecase::erase(
        (memory, memory, memory),
        &id,
        "request",
        Ground::Terms,
        &by,
        noon(),
    )
    .await;
    assert_eq!(erased, Ok(true));
    sleep(2 * SECOND).await;
    let found = bench
        .feed
        .buffer
        .borrow()
        .look(&query(Some(start), &PUBLIC));
    assert!(!matches!(found, Found::Page(_)), "{found:?}");
    let again = bench.follow(Some(start), &[JOB_POSTING_REJECTED, JOB_POSTING_ERASED]);
    assert_eq!(
        told(again.await.unwrap().unwrap()),
        [(None, None), (None, Some(decided()))]
    );
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_the_buffer_has_left_behind_reads_the_log() {
    let bench = Bench::new();
    // The buffer is kept for a reader, even if it wants none of the events.
    let watcher = bench.follow(None, &[COMPANY_UPDATED]);
    sleep(SECOND).await;
    let event = |sequence| recorded(JOB_POSTING_CREATED, Subject::Other(uuid(1)), sequence);
    let page = page((1..=9_000).map(event).collect(), 9_000);
    let mut buffer = Buffer::at(Cursor::START);
    buffer.append(page.clone());
    let at = |sequence| Some(cursor(sequence));
    assert_eq!(buffer.look(&query(at(10), &PUBLIC)), Found::Outside);
    assert_eq!(buffer.look(&query(None, &PUBLIC)), Found::Outside);
    let Found::Page(last) = buffer.look(&query(at(8_990), &PUBLIC)) else {
        panic!("the newest are kept");
    };
    assert_eq!(last.events, page.events[8_990..]);
    assert_eq!((last.next, last.has_more), (page.next, false));
    let Found::Page(cut) = buffer.look(&query(at(8_000), &PUBLIC)) else {
        panic!("the newest are kept");
    };
    assert_eq!(cut.events, page.events[8_000..8_100]);
    assert_eq!((Some(cut.next), cut.has_more), (at(8_100), true));

    // There are so many events that the first is dropped before its reader wakes.
    let created = vec![JOB_POSTING_CREATED; 9_000];
    let reader = bench.follow(None, &[JOB_POSTING_CREATED]);
    sleep(SECOND).await;
    bench.log.record(&created).await;
    let page = reader.await.unwrap().unwrap();
    assert_eq!(page.events.len(), 100);
    assert_eq!(page.events[0].cursor.sequence, 1);
    assert!(page.has_more);
    assert!(!watcher.is_finished());
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_hangs_up_is_forgotten() {
    let bench = Bench::new();
    let follow = bench.feed.follow(&query(None, &PUBLIC), WAIT).await;
    assert_eq!(follow.unwrap().events, []);
    let reader = bench.follow(None, &PUBLIC);
    sleep(SECOND).await;
    reader.abort();
    sleep(SECOND).await;
    let before = bench.log.queries();
    sleep(10 * SECOND).await;
    assert_eq!(bench.log.queries(), before, "nobody waits");
    let reader = bench.follow(None, &PUBLIC);
    sleep(SECOND).await;
    bench.log.record(&[JOB_POSTING_CREATED]).await;
    assert_eq!(reader.await.unwrap().unwrap().events.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_all_waits() {
    let bench = Bench::new();
    bench.log.record(&[COMPANY_UPDATED]).await;
    let end = bench.log.end().await.unwrap();
    let reader = bench.follow(Some(end), &PUBLIC);
    sleep(SECOND).await;
    let began = Instant::now();
    bench.loops.stop().await;
    let page = reader.await.unwrap().unwrap();
    assert_eq!((page.events.len(), page.next), (0, end));
    // A later reader does not wait, and gets the available events.
    let later = bench.feed.follow(&query(Some(end), &PUBLIC), WAIT).await;
    assert_eq!(later.unwrap().next, end);
    let all = bench.feed.follow(&query(None, &PUBLIC), WAIT).await;
    assert_eq!(names(&all.unwrap()), ["CompanyUpdated"]);
    assert!(began.elapsed() < SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_failing_store_is_asked_again_while_readers_wait() {
    let away = StoreError::Unavailable("away".to_owned());
    let bench = Bench::new();
    bench.log.fail(Some(away.clone()));
    let refused = bench.feed.follow(&query(None, &PUBLIC), WAIT).await;
    assert_eq!(refused, Err(LogError::Store(away.clone())));
    bench.log.fail(None);
    let (one, other) = (
        bench.follow(None, &[COMPANY_UPDATED]),
        bench.follow(None, &PUBLIC),
    );
    sleep(SECOND).await;
    bench.log.fail(Some(away));
    sleep(5 * SECOND).await;
    bench.log.record(&[JOB_POSTING_CREATED]).await;
    bench.log.fail(None);
    let page = timeout(8 * SECOND, other).await.unwrap();
    assert_eq!(names(&page.unwrap().unwrap()), ["JobPostingCreated"]);
    let page = one.await.unwrap().unwrap();
    assert_eq!(page.events, []);
}

#[tokio::test(start_paused = true)]
async fn a_cursor_of_deleted_events_is_refused_at_once() {
    let bench = Bench::new();
    bench.log.record(&[COMPANY_UPDATED, COMPANY_UPDATED]).await;
    let forgotten = bench.log.forget(noon() + SECOND, 2).await;
    assert_eq!(forgotten, Ok(2));
    let gone = bench.follow(Some(Cursor::START), &PUBLIC).await.unwrap();
    assert_eq!(gone, Err(LogError::Gone));
    // The oldest kept event has no successor yet.
    let reader = bench.follow(None, &PUBLIC);
    sleep(SECOND).await;
    bench.log.record(&[JOB_POSTING_CREATED]).await;
    assert_eq!(reader.await.unwrap().unwrap().events.len(), 1);
}

/// If an older backup was restored, the log may end before the cursors of readers.
#[tokio::test(start_paused = true)]
async fn a_cursor_beyond_the_log_is_refused_soon() {
    let bench = Bench::new();
    bench.log.record(&[COMPANY_UPDATED]).await;
    let end = bench.log.end().await.unwrap();
    let watcher = bench.follow(Some(end), &[JOB_POSTING_UPDATED]);
    sleep(SECOND).await;
    let lost = Cursor {
        sequence: end.sequence + 9,
        ..end
    };
    let gone = timeout(SECOND, bench.follow(Some(lost), &PUBLIC)).await;
    assert_eq!(gone.unwrap().unwrap(), Err(LogError::Gone));

    // Another process has read further than the buffer. Its cursor causes no query.
    bench.log.record(&[COMPANY_UPDATED]).await;
    let ahead = bench.log.end().await.unwrap();
    let (before, began) = (bench.log.queries(), Instant::now());
    let reader = bench.follow(Some(ahead), &PUBLIC);
    sleep(SECOND).await;
    bench.log.record(&[JOB_POSTING_CREATED]).await;
    let page = reader.await.unwrap().unwrap();
    assert_eq!(names(&page), ["JobPostingCreated"]);
    let queries = u128::try_from(bench.log.queries() - before).unwrap();
    assert!(queries <= began.elapsed().as_millis() / 50 + 1, "{queries}");
    assert!(!watcher.is_finished());
}
