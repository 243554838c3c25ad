use pg_cluster::{Cluster, Shutdown};

use super::{
    console::{Browser, free},
    durability::all_is_well,
};
use crate::harness::{
    Api, App, SETTLING, Site, Store, eventually, exclusive_load, fresh, load::Load, minimal,
};

on_postgres! {
    a_restart_and_a_crash_of_the_database_lose_nothing,
}

pub(super) async fn recover(servers: &[&Api]) {
    for api in servers {
        api.put(&fresh("back"), &minimal()).await.created();
    }
}

async fn a_restart_and_a_crash_of_the_database_lose_nothing(_: Store) {
    let mut cluster = Cluster::start().unwrap();
    let site = Site::on(cluster.url()).migrated();
    let other = site.beside();
    let console = free();
    let site = site.with("POSTHASTE_CONSOLE_BIND", &console);
    let console = format!("http://{console}");
    let mut processes = [site.serve(&[]), other.serve(&["--no-worker"]), site.work()];
    let app = App::at(site);
    let other = app.api_of(&other);
    let operator = Browser::signed_in(&app, &console).await;
    let turn = exclusive_load().await;
    let load = Load::start(&[&app.api, &other], 8);

    for shutdown in [Shutdown::Fast, Shutdown::Immediate] {
        load.until_acknowledged(60).await;
        let before = load.refusals();
        cluster.stop(shutdown).unwrap();
        for api in [&app.api, &other] {
            api.until_ready(false).await;
            assert_eq!(api.get("/healthz").await.status, 200);
        }
        eventually("pushes are refused", SETTLING, || async {
            (load.refusals() > before).then_some(())
        })
        .await;
        let (status, page) = operator.get(&console).await;
        assert_eq!(status, 503, "{page}");
        assert!(page.contains("The store is unavailable"), "{page}");
        cluster.start_again().unwrap();
        recover(&[&app.api, &other]).await;
        let (status, page) = eventually("the console is back", SETTLING, || async {
            let answer = operator.get(&console).await;
            (answer.0 != 503).then_some(answer)
        })
        .await;
        assert_eq!(status, 200, "the operator is still signed in: {page}");
    }
    load.until_acknowledged(60).await;
    assert_eq!(load.lost_connections(), 0);
    let acknowledged = load.finish().await;
    drop(turn);

    all_is_well(&app, &acknowledged, &mut processes).await;
    let log = cluster.log();
    assert!(log.contains("redo done"), "it did not crash: {log}");
    assert!(!log.contains("deadlock detected"), "{log}");
    drop(processes);
}
