//! Plans of the statements that both stores share.

use sql_common::{audit, catalogue, client, console, draft, sign_in, subscriber, webhook};

use super::{assert_uses_index, plan};
use crate::statement::Sql;

#[tokio::test]
async fn it_is_read_in_order() {
    for (query, index) in [
        (audit::Read::text(), "audit_newest"),
        (audit::ReadOperator::text(), "audit_by_operator"),
        (audit::ReadAction::text(), "audit_by_action"),
    ] {
        assert_uses_index(query, index).await;
    }
}

#[tokio::test]
async fn windows_are_read_in_order() {
    for (query, index) in [
        (console::Newest::text(), "postings_by_update"),
        (console::NewestOfStatus::text(), "postings_by_status"),
        (console::ByIdentifier::text(), "sqlite_autoindex_postings_2"),
    ] {
        assert_uses_index(&query, index).await;
    }
    // From the beginning, not from the first identifier of all.
    let plan_of_prefix = plan(&console::ByIdentifier::text()).await;
    let search = "(source_identifier>? AND source_identifier<?)";
    assert!(plan_of_prefix.contains(search), "{plan_of_prefix}");
    let plan = plan(console::CountStatus::text()).await;
    assert!(plan.contains("COVERING INDEX postings_by_status"), "{plan}");
}

#[tokio::test]
async fn tokens_to_delete_are_found_by_end_or_holder() {
    for (statement, index) in [
        (sign_in::Forget::text(), "sign_in_tokens_by_end"),
        (sign_in::Trim::text(), "sign_in_tokens_by_holder"),
    ] {
        let plan = plan(statement).await;
        assert!(plan.contains(index), "{plan}");
    }
}

/// A page begins where the one before ended.
#[tokio::test]
async fn open_postings_are_read_in_the_order_of_their_index() {
    let query = catalogue::OpenPostings::text();
    assert_uses_index(&query, "postings_by_catalogue").await;
    let plan = plan(&query).await;
    let search = "postings_by_catalogue (catalogue_id=? AND id>?)";
    assert!(plan.contains(search), "{plan}");
}

#[tokio::test]
async fn the_postings_of_a_catalogue_are_counted_by_their_index() {
    for query in [catalogue::Find::text(), catalogue::List::text()] {
        let plan = plan(&query).await;
        for step in [
            "SEARCH catalogues USING INDEX sqlite_autoindex_catalogues_2 (client_id=?",
            "SEARCH postings USING INDEX postings_by_catalogue (catalogue_id=?)",
        ] {
            assert!(plan.contains(step), "{query}\n{plan}");
        }
        assert!(!plan.contains("USE TEMP B-TREE"), "{query}\n{plan}");
    }
}

#[tokio::test]
async fn endpoints_are_listed_in_order() {
    assert_uses_index(
        webhook::List::text(),
        "sqlite_autoindex_webhook_endpoints_1",
    )
    .await;
    assert_uses_index(webhook::ListOwned::text(), "webhook_endpoints_by_owner").await;
}

#[tokio::test]
async fn a_backlog_is_looked_up_for_each_endpoint() {
    let plan = plan(webhook::Backlog::text()).await;
    for step in [
        "SCAN endpoint USING INDEX webhook_endpoints_active",
        "SEARCH waiting USING COVERING INDEX webhook_waiting_subjects (endpoint=?)",
        "SEARCH events USING INTEGER PRIMARY KEY (rowid>?)",
    ] {
        assert!(plan.contains(step), "{plan}");
    }
    assert!(!plan.contains("USE TEMP B-TREE"), "{plan}");
}

#[tokio::test]
async fn waiting_events_are_found_in_order() {
    assert_uses_index(webhook::Due::text(), "webhook_waiting_due").await;
    assert_uses_index(webhook::WaitingAmong::text(), "webhook_waiting_subjects").await;
    assert_uses_index(webhook::Hurry::text(), "webhook_waiting_due").await;
    assert_uses_index(webhook::InOrder::text(), "webhook_waiting_subjects").await;
}

#[tokio::test]
async fn a_client_is_found_with_its_secrets_by_its_id() {
    let plan = plan(client::Find::text()).await;
    let by = |key: &str| {
        plan.lines()
            .any(|step| step.starts_with("SEARCH") && step.contains(key))
    };
    assert!(by("(id=?)") && by("(client_id=?)"), "{plan}");
    assert!(!plan.contains("SCAN"), "{plan}");
}

#[tokio::test]
async fn subscribers_are_listed_in_order() {
    for (query, index) in [
        // The index that SQLite made for the unique address.
        (
            subscriber::ListReported::text(),
            "sqlite_autoindex_subscribers_2",
        ),
        (subscriber::ListUnmigrated::text(), "subscribers_unmigrated"),
        (subscriber::ListSuppressed::text(), "subscribers_suppressed"),
    ] {
        assert_uses_index(&query, index).await;
    }
}

#[tokio::test]
async fn unused_drafts_are_found_in_order() {
    assert_uses_index(draft::Forget::text(), "drafts_used").await;
}
