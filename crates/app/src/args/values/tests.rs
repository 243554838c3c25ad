use access::ClientRef;

use super::*;

pub use cli::values::check;

#[test]
fn names_and_ids() {
    check(
        |text| text.parse::<ClientRef>().map_err(|error| error.to_string()),
        r#"
        019a3c5e-0000-7000-8000-000000000000  | Id(ClientId(019a3c5e-0000-7000-8000-000000000000))
        Ada                                   | Name("Ada")
        1                                     | Name("1")
                                              ! must not be empty
        "#,
    );
    check(
        scope,
        r#"
        job-postings:write  | JobPostingsWrite
        write               ! "write" is not one of job-postings:write,
        "#,
    );
    check(
        status,
        r#"
        approved           | Approved
        pending            | PendingEnrichment
        PendingEnrichment  | PendingEnrichment
        Approved           ! "Approved" must be one of PendingEnrichment, approved, rejected, expired; is "approved" meant?
        "#,
    );
    check(
        person,
        r#"
        Ada@Example.com                       | Email(Email("ada@example.com"))
        01900000-0000-7000-8000-000000000001  | Id(SubscriberId(01900000-0000-7000-8000-000000000001))
        ada                                   ! "ada" must be a valid e-mail address
        "#,
    );
    check(
        catalogue,
        r#"
        a.b_C-1  | CatalogueName("a.b_C-1")
        a/b      ! "a/b" is not 1 to 64 characters of A-Za-z0-9._-
        ..       ! ".." has a meaning of its own
        "#,
    );
}
