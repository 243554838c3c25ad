//! The tables, as the migrations make them.

diesel::table! {
    companies (id) {
        id -> Uuid,
        name -> Text,
        website -> Text,
        logo_path -> Nullable<Text>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    postings (id) {
        id -> Uuid,
        source_identifier -> Text,
        version -> BigInt,
        status -> Text,
        status_reason -> Nullable<Text>,
        moderated -> Bool,
        company_id -> Uuid,
        enriched_hash -> Nullable<Binary>,
        approved_hash -> Nullable<Binary>,
        is_featured -> Bool,
        published_at -> Nullable<Timestamptz>,
        expire_at -> Nullable<Timestamptz>,
        expired_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        title -> Text,
        employment_types -> Array<Text>,
        location_types -> Array<Text>,
        location_country_code -> Nullable<Text>,
        location_city -> Nullable<Text>,
        salary_min -> Nullable<BigInt>,
        salary_max -> Nullable<BigInt>,
        salary_currency_code -> Nullable<Text>,
        salary_period -> Nullable<Text>,
        application_email -> Nullable<Text>,
        application_url -> Nullable<Text>,
        expiration_reason -> Nullable<Text>,
        description_digest -> Binary,
        /// It is `json`, which travels as its text, in both directions.
        metadata -> Nullable<Text>,
        raw_description -> Text,
    }
}

diesel::table! {
    posting_texts (posting_id) {
        posting_id -> Uuid,
        latitude -> Nullable<Double>,
        longitude -> Nullable<Double>,
        markdown -> Text,
        redacted_markdown -> Text,
    }
}

diesel::table! {
    posting_history (posting_id, version, step) {
        posting_id -> Uuid,
        version -> BigInt,
        step -> Integer,
        at -> Timestamptz,
        status -> Text,
        reason -> Nullable<Text>,
        actor -> Text,
    }
}

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

diesel::table! {
    clients (id) {
        id -> Uuid,
        name -> Text,
        scopes -> Array<Text>,
        secret_digest -> Binary,
        created_at -> Timestamptz,
        revoked_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    subscribers (id) {
        id -> Uuid,
        version -> BigInt,
        email -> Text,
        reported_at -> Nullable<Timestamptz>,
        name -> Nullable<Text>,
        country -> Nullable<Text>,
        membership_plan_category -> Nullable<Text>,
        membership_status -> Nullable<Text>,
        membership_expires_at -> Nullable<Date>,
        status -> Text,
        suppressed_by -> Nullable<Text>,
        suppressed_in -> Nullable<Text>,
        suppressed_at -> Nullable<Timestamptz>,
        suppressed_because -> Nullable<Text>,
        reinstated_at -> Nullable<Timestamptz>,
        departure -> Nullable<Text>,
        moved_to -> Nullable<Uuid>,
        old_id -> Nullable<Text>,
        old_is_quiet -> Bool,
        old_is_withdrawn -> Bool,
        new_id -> Nullable<Text>,
        new_is_quiet -> Bool,
        new_is_withdrawn -> Bool,
        as_of -> Nullable<Timestamptz>,
        migrated_at -> Nullable<Timestamptz>,
        migration_source -> Nullable<Text>,
        migration_arrived -> Bool,
        migration_shown_in -> Nullable<Text>,
        migration_token -> Text,
        told -> Nullable<Binary>,
        told_at -> Nullable<Timestamptz>,
        updated_at -> Timestamptz,
    }
}

diesel::joinable!(postings -> companies (company_id));
diesel::joinable!(posting_texts -> postings (posting_id));
diesel::allow_tables_to_appear_in_same_query!(companies, postings, posting_texts);
