//! The ports whose implementation is that of both stores.

use crate::PostgresStore;

sql_common::accounts!(PostgresStore);
sql_common::audit_log!(PostgresStore);
sql_common::catalogues!(PostgresStore);
sql_common::clients!(PostgresStore);
sql_common::console!(PostgresStore);
sql_common::drafts!(PostgresStore);
sql_common::outbox!(PostgresStore);
sql_common::subscribers!(PostgresStore);
sql_common::webhooks!(PostgresStore);
