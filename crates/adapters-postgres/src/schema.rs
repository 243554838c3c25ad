//! The tables, as the migrations make them.

diesel::table! {
    outbox (id) {
        id -> BigInt,
        kind -> Text,
        subject -> Uuid,
        account -> Nullable<Text>,
        generation -> BigInt,
        attempts -> Integer,
        next_at -> Timestamptz,
        lease -> Nullable<Uuid>,
        lost -> Integer,
        blocked -> Bool,
        first_failed_at -> Nullable<Timestamptz>,
        last_error -> Nullable<Text>,
        dead_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        event_name -> Nullable<Text>,
        source_identifier -> Nullable<Text>,
        occurred_at -> Nullable<Timestamptz>,
    }
}
