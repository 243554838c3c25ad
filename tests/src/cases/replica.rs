use pg_cluster::{Cluster, Shutdown};
use serde_json::Value;

use crate::harness::{App, SETTLING, Site, Store, eventually, exclusive_load, fresh, minimal};

on_postgres! {
    a_lagging_replica_is_reported_and_an_unavailable_one_is_skipped,
}

const LAG: &str = "posthaste-replica-lag";
const LIST: &str = "/api/job-board/job-postings?texts=none&limit=200";

async fn is_read(app: &App, id: &str) -> [bool; 3] {
    let of = |rows: &[Value]| {
        let mut ids = rows.iter().map(|row| &row["unique_source_identifier"]);
        ids.any(|found| found == id)
    };
    let list = app.api.get(LIST).await;
    let export = app.api.get("/api/job-board/export?texts=none").await;
    let lines = export.body.lines();
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let events = app.all_events().await;
    let events: Vec<_> = events.iter().map(|event| event["data"].clone()).collect();
    [
        of(list.json()["data"].as_array().unwrap()),
        of(&lines),
        of(&events),
    ]
}

async fn create(app: &App) -> String {
    let id = fresh("replica");
    assert_eq!(app.api.put(&id, &minimal()).await.status, 201);
    id
}

async fn is_read_everywhere(app: &App, id: &str) {
    eventually("the posting is read", SETTLING, || async {
        (is_read(app, id).await == [true; 3]).then_some(())
    })
    .await;
}

async fn a_lagging_replica_is_reported_and_an_unavailable_one_is_skipped(_: Store) {
    let primary = Cluster::start().unwrap();
    let mut standby = primary.standby().unwrap();
    let site = Site::on(primary.url())
        .with("POSTHASTE_READ_DATABASE_URL", standby.url())
        .watched()
        .migrated();
    let mut server = site.serve(&[]);
    let app = App::at(site);
    let turn = exclusive_load().await;
    let is_up = async |expect: &str| {
        let up = format!("posthaste_replica_up {expect}");
        eventually(&up, SETTLING, || async {
            let page = reqwest::get(format!("http://{}/metrics", app.site.admin()))
                .await
                .unwrap();
            page.text().await.unwrap().contains(&up).then_some(())
        })
        .await;
    };
    is_up("1").await;
    let doctor = app.run(&["doctor"]).stdout;
    assert!(doctor.contains("ok    replica: "), "{doctor}");
    let first = create(&app).await;
    is_read_everywhere(&app, &first).await;
    assert_eq!(app.api.get(LIST).await.headers.get(LAG), None);

    standby.replay(false).unwrap();
    let second = create(&app).await;
    let lag = eventually("the list says that it lags", SETTLING, || async {
        let list = app.api.get(LIST).await;
        let lag = list.headers.get(LAG)?.to_str().unwrap().to_owned();
        Some(lag)
    })
    .await;
    assert_ne!(lag.parse::<u64>().unwrap(), 0, "in seconds");
    assert_eq!(is_read(&app, &second).await, [false; 3]);
    assert_eq!(is_read(&app, &first).await, [true; 3]);
    assert_eq!(app.show(&second).await["title"], minimal()["title"]);
    standby.replay(true).unwrap();
    is_read_everywhere(&app, &second).await;
    eventually("the list is up to date", SETTLING, || async {
        app.api
            .get(LIST)
            .await
            .headers
            .get(LAG)
            .is_none()
            .then_some(())
    })
    .await;

    standby.stop(Shutdown::Kill).unwrap();
    let third = create(&app).await;
    is_up("0").await;
    let doctor = app.run(&["doctor"]).stdout;
    assert!(doctor.contains("fail  replica: "), "{doctor}");
    is_read_everywhere(&app, &third).await;
    standby.start_again().unwrap();
    is_up("1").await;
    is_read_everywhere(&app, &third).await;
    drop(turn);
    assert!(server.is_running(), "{}", app.site.log());
    let log = app.site.log();
    assert!(log.contains("the replica is unavailable"), "{log}");
}
