//! The primary is killed under load and its synchronous standby promoted.

use pg_cluster::{Cluster, Shutdown};

use super::{durability::all_is_well, following::check_order, outage::recover};
use crate::harness::{
    App, SETTLING, Site, Store, eventually, exclusive_load, follower::Follower, load::Load,
};

on_postgres! {
    a_promoted_standby_has_everything_that_was_acknowledged,
}

async fn a_promoted_standby_has_everything_that_was_acknowledged(_: Store) {
    let mut primary = Cluster::start().unwrap();
    let standby = primary.synchronous_standby().unwrap();
    let url = primary.url().replace(
        &primary.address(),
        &format!("{},{}", primary.address(), standby.address()),
    );
    let site = Site::on(&format!("{url}?target_session_attrs=read-write")).migrated();
    let other = site.beside();
    let mut processes = [site.serve(&[]), other.serve(&["--no-worker"]), site.work()];
    let app = App::at(site);
    let other = app.api_of(&other);
    let turn = exclusive_load().await;
    let load = Load::start(&[&app.api, &other], 8);
    let follower = Follower::start(vec![app.api.clone(), other.clone()], None, 50);

    load.until_acknowledged(60).await;
    let before = load.refusals();
    primary.stop(Shutdown::Kill).unwrap();
    eventually("pushes are refused", SETTLING, || async {
        (load.refusals() > before).then_some(())
    })
    .await;
    standby.promote().unwrap();
    recover(&[&app.api, &other]).await;
    load.until_acknowledged(60).await;
    assert_eq!(load.lost_connections(), 0);
    let acknowledged = load.finish().await;
    drop(turn);

    all_is_well(&app, &acknowledged, &mut processes).await;
    let events = follower.finish().await;
    check_order(&events);
    assert_eq!(events, app.all_events().await);
    drop(processes);
}
