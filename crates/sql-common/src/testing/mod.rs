#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "these are tests, though not marked as such: what fails panics"
)]

pub mod catalogues;
pub mod corruption;
pub mod erasure;
pub mod migrations;
pub mod outbox;
pub mod races;
pub mod sample;
pub mod statements;
pub mod tables;
pub mod webhooks;

use kernel::StoreError;

#[derive(Clone, Copy, Debug)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    fn value(self, (_, sqlite, postgres): (&str, &'static str, &'static str)) -> &'static str {
        match self {
            Self::Sqlite => sqlite,
            Self::Postgres => postgres,
        }
    }

    /// Replaces placeholders: `{id}` by a random id, `{past}` by a past time, `{short}` and
    /// `{long}` by hashes of the wrong length.
    fn fill_in(self, sql: &str) -> String {
        [
            ("{id}", "randomblob(16)", "gen_random_uuid()"),
            ("{past}", "0", "timestamptz '2000-01-01'"),
            ("{short}", "zeroblob(31)", "'\\x00'"),
            ("{long}", "zeroblob(32)", "sha256('')"),
        ]
        .into_iter()
        .fold(sql.to_owned(), |sql, placeholder| {
            sql.replace(placeholder.0, self.value(placeholder))
        })
    }

    /// SQL that disables check constraints, for data that was restored without them.
    fn without_checks(self) -> &'static str {
        self.value((
            "",
            "PRAGMA ignore_check_constraints = ON;",
            "DO $$ DECLARE it record; BEGIN FOR it IN SELECT conrelid::regclass AS owner, conname \
             FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace LOOP \
             EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', it.owner, it.conname); \
             END LOOP; END $$;",
        ))
    }
}

/// A store whose database accepts plain SQL.
#[expect(async_fn_in_trait, reason = "they are awaited where they are called")]
pub trait Shell: Sized {
    const DIALECT: Dialect;
    const OBJECTS: &'static str;

    async fn batch(&self, sql: &str) -> Result<(), String>;
    async fn values(&self, query: &str) -> Vec<String>;
    async fn lacks(&self) -> Result<Vec<String>, StoreError>;
    async fn complete(&self) -> Result<Vec<String>, StoreError>;
    async fn revert(&self);

    async fn shell(&self, sql: &str) -> Result<(), String> {
        self.batch(&Self::DIALECT.fill_in(sql)).await
    }

    async fn damage(&self, sql: &str) {
        let checks = Self::DIALECT.without_checks();
        let done = self.shell(&format!("{checks} {sql}")).await;
        done.expect("nothing is checked");
    }

    async fn number(&self, query: &str) -> i64 {
        let query = format!("SELECT CAST(({query}) AS TEXT) AS value");
        let number = self.values(&query).await;
        number[0].parse().expect("it is a number")
    }
}

/// Parses a table of statements and plans. Each line has parts separated by bars. A line that
/// begins with a bar continues the previous line.
pub fn plans(table: &str) -> Vec<(&str, Vec<&str>)> {
    let mut plans: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut cells = line.split('|').map(str::trim);
        let name = cells.next().unwrap_or_default();
        if !name.is_empty() {
            plans.push((name, Vec::new()));
        }
        if let Some((_, said)) = plans.last_mut() {
            said.extend(cells);
        }
    }
    plans
}

/// Generates the tests that both stores must pass, besides the contract suites.
///
/// `$fixture` returns a guard and a store; `$empty` returns a store without migrations.
#[macro_export]
macro_rules! store_suite {
    ($fixture:path, $empty:path) => {
        $crate::store_suite! { @cases $fixture;
            corruption: of_postings of_history of_decisions of_subscribers of_the_outbox of_events of_drafts
                of_clients of_activity of_catalogues of_the_audit of_one_kind of_endpoints of_rounds
                secrets_are_not_shown;
            erasure: refusals_are_erased;
            outbox: counting_has_an_end;
            tables: a_token_has_one_holder
                a_page_of_events_looks_at_a_limited_number a_history_has_a_bound;
            webhooks: tables_refuse_what_has_no_meaning;
            catalogues: the_table_refuses_what_has_no_meaning;
        }
        $crate::store_suite! { @cases $empty;
            migrations: all_go_down_one_by_one_and_up_again
                a_new_database_lacks_all_until_it_is_migrated many_may_migrate_at_once;
        }
    };
    (@cases $fixture:path; $($module:ident: $($case:ident)+;)+) => {
        $(mod $module {
            $(#[tokio::test]
            async fn $case() {
                let (_guard, store) = $fixture().await;
                $crate::testing::$module::$case(&store).await;
            })+
        })+
    };
}

/// Generates the tests of two stores on one database.
///
/// `$two` returns a guard and the stores; `$after` takes them and checks the result.
#[macro_export]
macro_rules! races {
    ($two:path, $after:path) => {
        $crate::races! { @cases $two, $after;
            races: writers_lose_no_writes of_two_creates_of_the_same_identifiers_one_wins
                of_two_imports_of_the_same_people_one_wins a_task_is_claimed_by_one
                accounts_are_leased_by_one a_draft_is_reserved_by_one an_event_is_deleted_once
                one_store_sees_the_commits_of_another;
            webhooks: workers_of_two_stores_share_endpoints
                registrations_at_two_stores_keep_the_limit;
            catalogues: of_imports_at_two_stores_one_gets_the_catalogue
                imports_at_two_stores_keep_the_limit;
        }
    };
    (@cases $two:path, $after:path; $($module:ident: $($case:ident)+;)+) => {
        $($(
            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $case() {
                let (guard, one, other) = $two().await;
                $crate::testing::$module::$case(&one, &other).await;
                $after(&guard, [one, other]).await;
            }
        )+)+
    };
}

/// Checks that constraints refuse rows that only hand-written SQL could insert: these rows, and the
/// `special` rows of one database.
pub async fn tables_refuse<S: Shell>(store: &S, special: &[&str]) {
    let client =
        "INSERT INTO clients (id, name, scopes, created_at) VALUES ({id}, '', '{}', {past})";
    assert_eq!(store.shell(client).await, Ok(()));
    for statement in REFUSED.iter().chain(special) {
        let refused = store.shell(statement).await.expect_err(statement);
        assert!(!refused.contains("were supplied"), "{statement}: {refused}");
    }
}

const REFUSED: [&str; 24] = [
    "UPDATE postings SET metadata = '{'",
    "INSERT INTO posting_texts VALUES ((SELECT id FROM postings), 1.0, NULL, '', '', NULL, NULL)",
    "INSERT INTO posting_decisions \
     VALUES ((SELECT id FROM postings), 'approved', {past}, 'rules', NULL, 'a', '', '[]', NULL, \
     false, NULL, NULL)",
    "INSERT INTO reports \
     VALUES ({id}, {id}, 'a', 'other', '', NULL, NULL, NULL, {past}, 'acted', NULL, NULL, NULL)",
    "INSERT INTO reports \
     VALUES ({id}, {id}, 'a', 'other', '', NULL, 'Ann', NULL, {past}, 'waiting', NULL, NULL, NULL)",
    "UPDATE clients SET prefixes = NULL",
    "INSERT INTO client_secrets VALUES ({id}, {long}, {past}, NULL, NULL)",
    "INSERT INTO client_secrets VALUES ((SELECT id FROM clients), {long}, NULL, NULL, NULL)",
    "INSERT INTO client_days VALUES ({id}, '2026-01-01', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
    "INSERT INTO client_days \
     VALUES ((SELECT id FROM clients), '2026-01-01', 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL)",
    "INSERT INTO client_days \
     VALUES ((SELECT id FROM clients), 'yesterdays', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
    "INSERT INTO client_refusals \
     VALUES ({id}, {id}, {past}, '', 422, '', NULL, NULL, NULL, 1, NULL)",
    "UPDATE subscribers SET membership_plan_category = NULL",
    "UPDATE subscribers SET membership_status = NULL, membership_plan_category = NULL",
    "UPDATE subscribers SET migrated_at = NULL",
    "UPDATE subscribers SET migrated_at = NULL, migration_source = NULL",
    "INSERT INTO event_log SELECT * FROM event_log",
    "INSERT INTO outbox (kind, subject, next_at, created_at, lease, dead_at) \
     VALUES ('enrich', {id}, {past}, {past}, {id}, {past})",
    "INSERT INTO audit VALUES ({id}, {id}, {past}, 'ann', 'a', NULL, '{')",
    "INSERT INTO drafts VALUES ({long}, NULL, NULL, {past}, NULL, NULL)",
    "INSERT INTO drafts VALUES ({long}, {id}, NULL, {past}, NULL, NULL)",
    "INSERT INTO drafts VALUES ({long}, NULL, {past}, {past}, '', NULL)",
    "INSERT INTO drafts VALUES ({long}, {id}, {past}, {past}, '', NULL)",
    "INSERT INTO drafts VALUES ({long}, NULL, NULL, NULL, '', NULL)",
];
