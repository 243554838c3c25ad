//! Plans of the statements that both stores share.

use sql_common::{audit, catalogue, client, console, draft, sign_in, subscriber, webhook};

use super::plans::{assert_uses_index, plan, plan_of_millions};
use crate::statement::Sql;

#[tokio::test]
async fn it_is_read_in_order() {
    let ranges = "text, timestamptz, text, timestamptz";
    for (query, ranges, index) in [
        (
            audit::Read::text(),
            "timestamptz, timestamptz",
            "audit_newest",
        ),
        (audit::ReadOperator::text(), ranges, "audit_by_operator"),
        (audit::ReadAction::text(), ranges, "audit_by_action"),
    ] {
        let types = format!("({ranges}, uuid, bigint)");
        let plan = plan(query, &types).await;
        assert_uses_index(&plan, index);
        assert!(!plan.contains("Sort"), "{plan}");
    }
}

#[tokio::test]
async fn windows_are_read_in_order() {
    for (query, index) in [
        (console::Newest::text(), "postings_by_update"),
        (console::NewestOfStatus::text(), "postings_by_status"),
        (
            console::ByIdentifier::text(),
            "postings_source_identifier_key",
        ),
    ] {
        let plan = plan_of_millions(&query).await;
        assert!(plan.contains(&format!("{index} on postings")), "{plan}");
        assert!(!plan.contains("Sort"), "{plan}");
        assert!(!plan.contains("Gather"), "{plan}");
    }
}

#[tokio::test]
async fn tokens_to_delete_are_found_by_end_or_holder() {
    for (statement, index) in [
        (sign_in::Forget::text(), "sign_in_tokens_by_end"),
        (sign_in::Trim::text(), "sign_in_tokens_by_holder"),
    ] {
        assert_uses_index(&plan(statement, "").await, index);
    }
}

/// A page begins where the one before ended.
#[tokio::test]
async fn open_postings_are_read_in_the_order_of_their_index() {
    let plan = plan_of_millions(catalogue::OpenPostings::text()).await;
    assert_uses_index(&plan, "postings_by_catalogue");
    let range = "Index Cond: ((catalogue_id = $1) AND (id > $2))";
    assert!(plan.contains(range) && !plan.contains("Sort"), "{plan}");
}

#[tokio::test]
async fn the_postings_of_a_catalogue_are_counted_by_their_index() {
    for query in [catalogue::Find::text(), catalogue::List::text()] {
        let plan = plan(&query, "").await;
        for part in ["postings_by_catalogue", "catalogues_client_id_name_key"] {
            assert!(plan.contains(part), "{query}\n{plan}");
        }
        assert!(plan.contains("(catalogue_id = catalogues.id)"), "{plan}");
        assert!(!plan.contains("Seq Scan"), "{query}\n{plan}");
    }
}

#[tokio::test]
async fn endpoints_are_listed_in_order() {
    for (query, index) in [
        (webhook::List::text(), "webhook_endpoints_pkey"),
        (webhook::ListOwned::text(), "webhook_endpoints_by_owner"),
    ] {
        let plan = plan(&query, "").await;
        assert_uses_index(&plan, index);
        assert!(!plan.contains("Sort"), "{plan}");
    }
}

#[tokio::test]
async fn due_events_are_found_in_order() {
    let plan = plan(webhook::Due::text(), "").await;
    assert_uses_index(&plan, "webhook_waiting_due");
    assert!(!plan.contains("Sort"), "{plan}");
}

#[tokio::test]
async fn subjects_are_looked_up_one_by_one() {
    let plan = plan(webhook::WaitingAmong::text(), "(uuid[], uuid)").await;
    assert_uses_index(&plan, "webhook_waiting_subjects");
    assert!(plan.contains("subject = asked.subject"), "{plan}");
}

#[tokio::test]
async fn leases_are_found_by_their_endpoints() {
    for (query, types) in [
        (webhook::Renew::text(), "(uuid[], uuid[], timestamptz)"),
        (
            webhook::EndLease::text(),
            "(uuid[], uuid[], bigint[], bigint[], bigint[], bigint[], bigint[], timestamptz[])",
        ),
    ] {
        assert_uses_index(&plan(&query, types).await, "webhook_endpoints_pkey");
    }
}

#[tokio::test]
async fn a_backlog_is_looked_up_for_each_endpoint() {
    let plan = plan(webhook::Backlog::text(), "").await;
    for index in ["webhook_endpoints_active", "events_pkey"] {
        assert_uses_index(&plan, index);
    }
    assert!(plan.contains("endpoint = endpoint.id"), "{plan}");
}

#[tokio::test]
async fn a_client_is_found_with_its_secrets_by_its_id() {
    let plan = plan(client::Find::text(), "").await;
    assert_uses_index(&plan, "clients_pkey");
    let secrets = "Index Cond: (client_id = $1)";
    assert!(plan.contains("client_secrets_pkey"), "{plan}");
    assert!(
        plan.contains(secrets) || plan.contains("client_id = clients.id"),
        "{plan}"
    );
}

#[tokio::test]
async fn the_activity_of_a_client_is_found_by_its_key() {
    for (query, index) in [
        (client::Days::text(), "client_days_pkey"),
        (client::Refusals::text(), "client_refusals_pkey"),
    ] {
        let plan = plan(&query, "(uuid[])").await;
        assert!(plan.contains(&format!(" {index} ")), "{plan}");
        assert!(!plan.contains("Seq Scan"), "{plan}");
    }
}

#[tokio::test]
async fn subscribers_are_listed_in_order() {
    for (query, index) in [
        (subscriber::ListReported::text(), "subscribers_email_key"),
        (subscriber::ListUnmigrated::text(), "subscribers_unmigrated"),
        (subscriber::ListSuppressed::text(), "subscribers_suppressed"),
    ] {
        let plan = plan(&query, "").await;
        assert_uses_index(&plan, index);
        assert!(!plan.contains("Sort"), "{plan}");
    }
}

/// Even while the table is small, since the plan is kept.
#[tokio::test]
async fn subscribers_that_exist_are_looked_up_one_by_one() {
    let types = "(uuid[], bigint[], text[], timestamptz[], text[], text[], text[], text[], \
        date[], text[], text[], text[], timestamptz[], text[], timestamptz[], text[], uuid[], \
        text[], boolean[], boolean[], text[], boolean[], boolean[], timestamptz[], \
        timestamptz[], text[], boolean[], text[], text[], bytea[], timestamptz[], \
        timestamptz[], bigint[])";
    let plan = plan(subscriber::Update::text(), types).await;
    assert_uses_index(&plan, "subscribers_pkey");
    assert!(plan.contains("Index Cond: (id = sent.id)"), "{plan}");
    assert!(!plan.contains("Sort"), "{plan}");
}

#[tokio::test]
async fn unused_drafts_are_found_in_order() {
    let plan = plan(draft::Forget::text(), "").await;
    assert_uses_index(&plan, "drafts_used");
    assert_uses_index(&plan, "drafts_pkey");
    assert!(!plan.contains("Sort"), "{plan}");
}
