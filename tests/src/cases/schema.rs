//! Only an explicit command changes the schema; a one-line error names missing migrations.

use adapters_postgres::testing;

use crate::harness::{
    App, CommandResult, Database, SETTLING, Site, Store, eventually, fresh, minimal, run,
};

on_postgres! {
    an_outdated_schema_is_refused_until_it_is_migrated,
    many_servers_migrate_concurrently_on_request,
    a_newer_schema_is_refused_once_it_needs_a_newer_program,
    serving_without_a_key_is_a_configuration_error,
    a_database_that_is_not_there_is_said_in_one_line_without_the_password,
}

fn line(ran: CommandResult, code: i32) -> String {
    let complaint = ran.failed(code);
    assert_eq!(complaint.trim_end().lines().count(), 1, "{complaint}");
    complaint
}

fn empty(store: Store) -> Site {
    let site = Site::with_database(Database::empty(store));
    site.run(&["keys", "generate"]).succeeded();
    site
}

fn url(site: &Site) -> String {
    site.database.url().unwrap()
}

fn tables(site: &Site) -> i64 {
    let tables = "SELECT count(*) AS value FROM pg_tables WHERE schemaname = 'public'";
    testing::number(&url(site), tables)
}

async fn an_outdated_schema_is_refused_until_it_is_migrated(store: Store) {
    let site = empty(store);
    for arguments in [
        &["serve"][..],
        &["worker"],
        &["clients", "list"],
        &["outbox", "list"],
    ] {
        let complaint = line(site.run(arguments), 1);
        assert!(complaint.contains("posthaste migrate"), "{complaint}");
    }
    assert_eq!(tables(&site), 0, "tables were not requested");

    let applied = site.run(&["migrate"]).succeeded();
    let versions = "SELECT version::text AS value FROM __diesel_schema_migrations ORDER BY version";
    let versions = testing::texts(&url(&site), versions);
    assert_eq!(applied.lines().count(), versions.len(), "{applied}");
    for (line, version) in applied.lines().zip(&versions) {
        // Migration names contain dashes, versions do not.
        assert!(line.replace('-', "").contains(version), "{line}");
    }
    let again = site.run(&["migrate"]).succeeded();
    assert_eq!(again.trim_end().lines().count(), 1, "{again}");

    // A database is also refused if only the newest migration is missing.
    testing::execute(
        &url(&site),
        "DELETE FROM __diesel_schema_migrations WHERE version = \
         (SELECT max(version) FROM __diesel_schema_migrations)",
    );
    let complaint = line(site.run(&["serve"]), 1);
    assert!(complaint.contains("posthaste migrate"), "{complaint}");
}

async fn many_servers_migrate_concurrently_on_request(store: Store) {
    let site = empty(store);
    let sites = [site.beside(), site.beside(), site];
    let servers = std::thread::scope(|scope| {
        let starts = sites
            .each_ref()
            .map(|site| scope.spawn(|| site.serve(&["--no-worker", "--migrate"])));
        starts.map(|start| start.join().unwrap())
    });
    for site in sites {
        let app = App::at(site);
        app.put(&fresh("migrated"), &minimal()).await.created();
    }
    drop(servers);
}

async fn a_newer_schema_is_refused_once_it_needs_a_newer_program(store: Store) {
    let site = empty(store);
    site.run(&["migrate"]).succeeded();
    testing::execute(
        &url(&site),
        "INSERT INTO __diesel_schema_migrations (version) VALUES ('29990101000000')",
    );
    // A later version has migrated the database, and processes of this version keep running.
    let server = site.serve(&[]);
    drop(server);
    testing::execute(
        &url(&site),
        "UPDATE schema_compatibility SET needs = '29990101000000'",
    );
    for arguments in [
        &["serve"][..],
        &["serve", "--migrate"],
        &["worker"],
        &["migrate"],
    ] {
        let complaint = line(site.run(arguments), 1);
        assert!(complaint.contains("newer"), "{complaint}");
        assert!(complaint.contains("29990101000000"), "{complaint}");
    }
}

async fn serving_without_a_key_is_a_configuration_error(store: Store) {
    let site = Site::new(store);
    let complaint = line(site.run(&["serve"]), 2);
    assert!(complaint.contains("posthaste keys generate"), "{complaint}");
    assert!(!site.data().join("keys").exists(), "it made a key");
    let _worker = site.work();
    eventually("the worker works", SETTLING, || async {
        site.log().contains("works in the background").then_some(())
    })
    .await;
}

async fn a_database_that_is_not_there_is_said_in_one_line_without_the_password(store: Store) {
    let site = empty(store);
    let there = url(&site);
    let (address, _) = there.split_once('?').unwrap();
    let authority = address.split('/').nth(2).unwrap();
    let host = authority.rsplit('@').next().unwrap();
    for url in [
        "postgres://somebody:hunter2@127.0.0.1:9/jobs".to_owned(),
        format!("postgres://somebody:hunter2@{host}/jobs"),
        format!("postgres://{authority}/{}", fresh("none")),
    ] {
        let (_, password) = url.split_once('@').unwrap().0.rsplit_once(':').unwrap();
        for arguments in [&["serve"][..], &["worker"], &["migrate"]] {
            let mut command = site.command(arguments);
            command.env("DATABASE_URL", &url);
            let ran = run(command, "");
            assert!(!ran.stdout.contains(password), "{ran:#?}");
            let complaint = line(ran, 1);
            assert!(!complaint.contains(password), "{complaint}");
        }
    }
}
