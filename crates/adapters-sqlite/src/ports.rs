//! The ports whose implementation is that of both stores.
#![expect(
    clippy::needless_question_mark,
    reason = "`?` converts the shared failure to the store's, which here is the same"
)]

use crate::SqliteStore;

sql_common::accounts!(SqliteStore);
sql_common::audit_log!(SqliteStore);
sql_common::catalogues!(SqliteStore);
sql_common::clients!(SqliteStore);
sql_common::console!(SqliteStore);
sql_common::drafts!(SqliteStore);
sql_common::outbox!(SqliteStore);
sql_common::subscribers!(SqliteStore);
sql_common::webhooks!(SqliteStore);
