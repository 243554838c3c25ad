//! A server that is slow, stops, vanishes and returns.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use diesel_async::SimpleAsyncConnection;
use domain::store::{Health, PostingReader, Store};
use kernel::StoreError;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

use super::{
    Database, create, fixture, identifier, is_lost, is_unavailable, join, number, patient, retitle,
};
use crate::{PostgresOptions, PostgresStore, PostgresUrl};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Network {
    Up,
    /// Refuses new connections, and has closed all others.
    Down,
    /// Drops everything without an answer.
    Silent,
}

/// A TCP proxy to the server, which tests can interrupt.
struct Proxy {
    url: PostgresUrl,
    state: watch::Sender<Network>,
}

impl Proxy {
    async fn to(database: &Database) -> Self {
        let text = database.text_url();
        let authority = text.split('/').nth(2).unwrap();
        let (user, target) = authority.rsplit_once('@').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (state, observed) = watch::channel(Network::Up);
        tokio::spawn(serve(listener, address, target.to_owned(), observed));
        let user = user.to_owned();
        let url = text.replacen(authority, &format!("{user}@{address}"), 1);
        Self {
            url: url.parse().unwrap(),
            state,
        }
    }

    fn set(&self, network: Network) {
        self.state.send_replace(network);
    }
}

async fn serve(
    listener: TcpListener,
    address: SocketAddr,
    target: String,
    mut state: watch::Receiver<Network>,
) {
    let mut listener = Some(listener);
    let mut connections = JoinSet::new();
    loop {
        let network = *state.borrow_and_update();
        if network == Network::Down {
            listener = None;
            connections.shutdown().await;
            if state.changed().await.is_err() {
                return;
            }
            continue;
        }
        let listening = match &listener {
            Some(listening) => listening,
            None => listener.insert(TcpListener::bind(address).await.unwrap()),
        };
        tokio::select! {
            changed = state.changed() => if changed.is_err() { return },
            accepted = listening.accept() => {
                let (mut client, _) = accepted.unwrap();
                let (target, mut state) = (target.clone(), state.clone());
                connections.spawn(async move {
                    let mut server = TcpStream::connect(target).await.unwrap();
                    let silence = async move {
                        drop(state.wait_for(|network| *network == Network::Silent).await);
                    };
                    let is_silent = tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => false,
                        () = silence => true,
                    };
                    if is_silent {
                        std::future::pending::<()>().await;
                    }
                });
            }
        }
    }
}

fn hasty() -> PostgresOptions {
    PostgresOptions {
        acquire_timeout: Duration::from_secs(3),
        statement_timeout: Duration::from_secs(1),
        ..patient()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_recovers_by_itself() {
    let database = Database::migrated();
    let proxy = Proxy::to(&database).await;
    let store = PostgresStore::open(&proxy.url, &hasty()).await.unwrap();
    for outage in 0..3 {
        // When the outage begins, there are idle and busy connections.
        let mut commits = JoinSet::new();
        for n in 0..50_u128 {
            let store = store.clone();
            let n = outage * 100 + n;
            commits.spawn(async move { (n, store.commit(create(n)).await) });
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        proxy.set(Network::Down);
        let mut acknowledged = Vec::new();
        for (n, outcome) in commits.join_all().await {
            match outcome {
                Ok(()) => acknowledged.push(n),
                refused => assert!(is_lost(&refused), "{refused:?}"),
            }
        }
        let start = Instant::now();
        let refused = store.commit(create(outage * 100 + 60)).await;
        assert!(is_unavailable(&refused), "{refused:?}");
        assert!(is_unavailable(&store.ready().await));
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "answers are quick"
        );

        proxy.set(Network::Up);
        let start = Instant::now();
        while let Err(error) = store.commit(create(outage * 100 + 61)).await {
            assert!(start.elapsed() < Duration::from_secs(10), "{error}");
            assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for n in acknowledged {
            assert!(store.find(&identifier(n)).await.unwrap().is_some(), "{n}");
        }
    }
}

#[tokio::test]
async fn a_silent_server_fails_the_call() {
    let database = Database::migrated();
    let proxy = Proxy::to(&database).await;
    let store = PostgresStore::open(&proxy.url, &hasty()).await.unwrap();
    proxy.set(Network::Silent);
    let start = Instant::now();
    // The statements of a commit are sent together. Then only the answer shows the outcome.
    let refused = store.commit(create(1)).await;
    assert!(is_lost(&refused), "{refused:?}");
    let refused = store.commit(create(1)).await;
    assert!(is_unavailable(&refused), "{refused:?}");
    assert!(start.elapsed() < Duration::from_secs(20));
    proxy.set(Network::Up);
    store.commit(create(1)).await.unwrap();
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let url: PostgresUrl = "postgres://somebody:hunter2@127.0.0.1:1/db"
        .parse()
        .unwrap();
    let error = PostgresStore::open(&url, &hasty()).await.unwrap_err();
    let StoreError::Unavailable(why) = error else {
        panic!("{error}")
    };
    assert!(why.contains("cannot connect to PostgreSQL"), "{why}");
    assert!(why.contains("refused"), "{why}");
}

#[tokio::test]
async fn a_refused_login_is_reported_without_the_password() {
    let database = Database::empty();
    let text = database.text_url();
    let authority = text.split('/').nth(2).unwrap();
    let (_, host) = authority.rsplit_once('@').unwrap();
    let url = text.replacen(authority, &format!("nobody:hunter2@{host}"), 1);
    let error = PostgresStore::open(&url.parse().unwrap(), &hasty())
        .await
        .unwrap_err();
    let StoreError::Unavailable(why) = error else {
        panic!("{error}")
    };
    assert!(why.contains("nobody") && !why.contains("hunter2"), "{why}");
}

/// The server ends the statement, which releases the locks of its transaction.
#[tokio::test]
async fn waiting_has_an_end() {
    let (database, store) = fixture().await;
    store.commit(join([create(1), create(2)])).await.unwrap();
    let mut other = store.connections.get().await.unwrap();
    let lock = "BEGIN; SELECT FROM postings FOR UPDATE NOWAIT";
    other.batch_execute(lock).await.unwrap();
    let limit = Duration::from_millis(200);
    let options = PostgresOptions {
        statement_timeout: limit,
        ..patient()
    };
    let hasty = database.open(&options).await;
    let start = Instant::now();
    let Err(StoreError::Unavailable(why)) = hasty.commit(retitle(1, "New")).await else {
        panic!("another transaction holds it")
    };
    assert!(why.contains("statement timeout"), "{why}");
    assert!(start.elapsed() >= limit);
    other.batch_execute("ROLLBACK").await.unwrap();
    other.batch_execute(lock).await.unwrap();
    other.batch_execute("ROLLBACK").await.unwrap();
    hasty.commit(retitle(1, "New")).await.unwrap();
}

#[tokio::test]
async fn an_idle_transaction_is_ended() {
    let database = Database::migrated();
    let options = PostgresOptions {
        idle_in_transaction_timeout: Duration::from_millis(200),
        ..patient()
    };
    let store = database.open(&options).await;
    let mut conn = store.connections.get().await.unwrap();
    conn.batch_execute("BEGIN").await.unwrap();
    tokio::time::sleep(Duration::from_millis(600)).await;
    conn.batch_execute("SELECT 1").await.unwrap_err();
    drop(conn);
    store.commit(create(1)).await.unwrap();
}

#[tokio::test]
async fn a_full_pool_is_not_waited_for_without_end() {
    let database = Database::migrated();
    let options = PostgresOptions {
        max_connections: 1,
        acquire_timeout: Duration::from_secs(2),
        ..patient()
    };
    let store = database.open(&options).await;
    let taken = store.connections.get().await.unwrap();
    let start = Instant::now();
    let Err(StoreError::Unavailable(why)) = store.commit(create(1)).await else {
        panic!("it should have waited in vain")
    };
    assert!(why.contains("in use"), "{why}");
    assert!(start.elapsed() >= options.acquire_timeout);
    drop(taken);
    store.commit(create(1)).await.unwrap();
}

#[tokio::test]
async fn a_panic_in_the_middle_leaves_nothing_open() {
    let database = Database::migrated();
    let options = PostgresOptions {
        max_connections: 1,
        ..patient()
    };
    let store = database.open(&options).await;
    let panicked = store
        .connections
        .transaction::<()>(async |conn| {
            conn.batch_execute("SELECT pg_advisory_xact_lock(1)")
                .await?;
            panic!("on purpose")
        })
        .await;
    assert!(
        matches!(panicked, Err(StoreError::Broken(_))),
        "{panicked:?}"
    );
    store.commit(create(1)).await.unwrap();
}

#[tokio::test]
async fn the_server_ends_the_statement_of_a_connection_that_was_closed() {
    let (_database, store) = fixture().await;
    let mut conn = store.connections.take().await.unwrap();
    conn.batch_execute("SET statement_timeout = 0")
        .await
        .unwrap();
    let sleeping = conn.batch_execute("SELECT pg_sleep(3600)");
    let ended = tokio::time::timeout(Duration::from_millis(500), sleeping).await;
    assert!(ended.is_err());
    let running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active'
        AND datname = current_database() AND query LIKE '%pg_sleep(3600)'";
    assert_eq!(number(&store, running).await, 1);
    drop(conn);
    let closed = Instant::now();
    while number(&store, running).await > 0 {
        assert!(
            closed.elapsed() < Duration::from_mins(1),
            "it sleeps for an hour"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
