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
    subscribers (id) {
        id -> Binary,
        version -> BigInt,
        email -> Text,
        reported_at -> Nullable<BigInt>,
        name -> Nullable<Text>,
        country -> Nullable<Text>,
        membership_plan_category -> Nullable<Text>,
        membership_status -> Nullable<Text>,
        membership_expires_at -> Nullable<Text>,
        status -> Text,
        suppressed_by -> Nullable<Text>,
        suppressed_in -> Nullable<Text>,
        suppressed_at -> Nullable<BigInt>,
        suppressed_because -> Nullable<Text>,
        reinstated_at -> Nullable<BigInt>,
        departure -> Nullable<Text>,
        moved_to -> Nullable<Binary>,
        old_id -> Nullable<Text>,
        old_is_quiet -> Bool,
        old_is_withdrawn -> Bool,
        new_id -> Nullable<Text>,
        new_is_quiet -> Bool,
        new_is_withdrawn -> Bool,
        as_of -> Nullable<BigInt>,
        migrated_at -> Nullable<BigInt>,
        migration_source -> Nullable<Text>,
        migration_arrived -> Bool,
        migration_shown_in -> Nullable<Text>,
        migration_token -> Text,
        told -> Nullable<Binary>,
        told_at -> Nullable<BigInt>,
        updated_at -> BigInt,
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
