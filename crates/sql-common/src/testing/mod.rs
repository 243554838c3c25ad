//! What the tests of both stores have in common.
#![expect(
    clippy::expect_used,
    reason = "these are tests, though not marked as such"
)]

pub mod corruption;
pub mod sample;
pub mod straight;
pub mod upgrade;

/// Statements that the checks of the tables refuse, in the words of every database.
pub const REFUSED: [&str; 16] = [
    "UPDATE postings SET status = 'published'",
    "UPDATE postings SET metadata = '{'",
    "UPDATE postings SET salary_period = 'daily'",
    "DELETE FROM companies",
    "INSERT INTO posting_texts VALUES ((SELECT id FROM postings), 1.0, NULL, '', '')",
    "UPDATE subscribers SET version = 0",
    "UPDATE subscribers SET email = ''",
    "UPDATE subscribers SET status = 'inactive'",
    "UPDATE subscribers SET membership_plan_category = 'family'",
    "UPDATE subscribers SET membership_plan_category = NULL",
    "UPDATE subscribers SET membership_status = 'cancelled'",
    "UPDATE subscribers SET membership_status = NULL, membership_plan_category = NULL",
    "UPDATE subscribers SET migrated_at = NULL",
    "UPDATE subscribers SET migrated_at = NULL, migration_source = NULL",
    "UPDATE subscribers SET migration_source = 'somebody'",
    "UPDATE subscribers SET migration_token = ''",
];
