//! The tables, as the migrations make them.

diesel::table! {
    outbox (id) {
        id -> BigInt,
        kind -> Text,
        subject -> Binary,
        account -> Nullable<Text>,
        generation -> BigInt,
        attempts -> BigInt,
        next_at -> BigInt,
        lease -> Nullable<Binary>,
        lost -> BigInt,
        blocked -> BigInt,
        first_failed_at -> Nullable<BigInt>,
        last_error -> Nullable<Text>,
        dead_at -> Nullable<BigInt>,
        created_at -> BigInt,
        event_name -> Nullable<Text>,
        source_identifier -> Nullable<Text>,
        occurred_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    /// Which migrations were applied; kept by diesel.
    __diesel_schema_migrations (version) {
        version -> Text,
        run_on -> Timestamp,
    }
}

diesel::table! {
    /// What there is in the file; kept by SQLite.
    sqlite_master (name) {
        name -> Text,
        #[sql_name = "type"]
        kind -> Text,
    }
}
