-- Everything that version 0.2.0 stores: postings with their companies, OAuth clients, newsletter
-- subscribers, the outbox, the audit, and the drafts of language models.
--
-- The checks hold what the program relies on when it reads a row back; the rules about what may
-- become of a row are the program's. Texts that are compared and never shown in order are
-- COLLATE "C": byte for byte, whatever locale the database has.

CREATE TABLE companies (
    id uuid NOT NULL PRIMARY KEY,
    name text NOT NULL,
    website text COLLATE "C" NOT NULL CHECK (website <> ''),
    logo_path text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
)
-- No index has a column that an update changes, so with space left an update stays on its page.
WITH (fillfactor = 80);

COMMENT ON TABLE companies IS 'Upserted with the postings that name them; never deleted.';
COMMENT ON COLUMN companies.id IS 'The UUIDv5 of the website: one website cannot have two rows.';
COMMENT ON COLUMN companies.name IS 'As last pushed.';
COMMENT ON COLUMN companies.website IS 'In the normal form that companies are matched by.';
COMMENT ON COLUMN companies.logo_path IS 'Path to the logo.';
COMMENT ON COLUMN companies.created_at IS 'When it was first pushed.';
COMMENT ON COLUMN companies.updated_at IS 'When it was last written.';

CREATE TABLE postings (
    id uuid NOT NULL PRIMARY KEY,
    source_identifier text COLLATE "C" NOT NULL UNIQUE CHECK (source_identifier <> ''),
    version bigint NOT NULL CHECK (version >= 1),
    status text COLLATE "C" NOT NULL
        CHECK (status IN ('PendingEnrichment', 'approved', 'rejected', 'expired')),
    status_reason text,
    moderated boolean NOT NULL,
    -- Without an index: nothing asks for a company's postings, and companies are never deleted.
    company_id uuid NOT NULL REFERENCES companies (id),
    enriched_hash bytea CHECK (octet_length(enriched_hash) = 32),
    approved_hash bytea CHECK (octet_length(approved_hash) = 32),
    is_featured boolean NOT NULL,
    published_at timestamptz,
    expire_at timestamptz,
    expired_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    title text NOT NULL,
    employment_types text[] COLLATE "C" NOT NULL
        CHECK (employment_types <@ ARRAY['full-time', 'part-time', 'contract', 'internship']),
    location_types text[] COLLATE "C" NOT NULL
        CHECK (location_types <@ ARRAY['remote', 'on-site', 'hybrid', 'other']),
    location_country_code text COLLATE "C" CHECK (location_country_code ~ '^[A-Z]{2}$'),
    location_city text,
    salary_min bigint CHECK (salary_min >= 0),
    salary_max bigint CHECK (salary_max >= 0),
    salary_currency_code text COLLATE "C" CHECK (salary_currency_code ~ '^[A-Z]{3}$'),
    salary_period text COLLATE "C"
        CHECK (salary_period IN ('hourly', 'weekly', 'monthly', 'annually')),
    application_email text,
    application_url text,
    expiration_reason text,
    description_digest bytea NOT NULL CHECK (octet_length(description_digest) = 32),
    metadata json COMPRESSION lz4 CHECK (json_typeof(metadata) = 'object'),
    raw_description text COMPRESSION lz4 NOT NULL
);
-- With the default fillfactor: nearly every update changes updated_at, which two indexes have,
-- so space left on the page would save nothing.

COMMENT ON TABLE postings IS 'Job postings as pushed, and where they stand.';
COMMENT ON COLUMN postings.id IS 'The id in this service.';
COMMENT ON COLUMN postings.source_identifier IS
    'The id in the world it comes from, compared byte for byte.';
COMMENT ON COLUMN postings.version IS
    'Counts the commits that wrote the row; each of them names the version it has read.';
COMMENT ON COLUMN postings.status IS 'PendingEnrichment, approved, rejected or expired.';
COMMENT ON COLUMN postings.status_reason IS 'The reason of the newest change of status.';
COMMENT ON COLUMN postings.moderated IS
    'Whether the status is an operator''s verdict; a rejection no enricher overrules.';
COMMENT ON COLUMN postings.company_id IS 'Whose posting it is.';
COMMENT ON COLUMN postings.enriched_hash IS
    'SHA-256 of the content that the last enrichment outcome was for.';
COMMENT ON COLUMN postings.approved_hash IS
    'SHA-256 of the content that an operator approved, which no enricher overrules.';
COMMENT ON COLUMN postings.is_featured IS 'Whether an operator features it.';
COMMENT ON COLUMN postings.published_at IS 'When it was first approved.';
COMMENT ON COLUMN postings.expire_at IS 'When its lifetime ends.';
COMMENT ON COLUMN postings.expired_at IS 'When it was taken down.';
COMMENT ON COLUMN postings.created_at IS 'When it was first pushed.';
COMMENT ON COLUMN postings.updated_at IS 'When readers last saw a difference.';
COMMENT ON COLUMN postings.title IS 'At most 255 characters.';
COMMENT ON COLUMN postings.employment_types IS
    'Without repeats, in the order sent: full-time, part-time, contract, internship.';
COMMENT ON COLUMN postings.location_types IS
    'Without repeats, in the order sent: remote, on-site, hybrid, other.';
COMMENT ON COLUMN postings.location_country_code IS 'ISO 3166-1 alpha-2, upper case.';
COMMENT ON COLUMN postings.location_city IS 'City of the workplace.';
COMMENT ON COLUMN postings.salary_min IS 'Lower end, in whole units of the currency.';
COMMENT ON COLUMN postings.salary_max IS 'Upper end, in whole units of the currency.';
COMMENT ON COLUMN postings.salary_currency_code IS 'ISO 4217, upper case.';
COMMENT ON COLUMN postings.salary_period IS 'hourly, weekly, monthly or annually.';
COMMENT ON COLUMN postings.application_email IS 'Where to apply by mail.';
COMMENT ON COLUMN postings.application_url IS 'Where to apply on the web.';
COMMENT ON COLUMN postings.expiration_reason IS 'Why it was taken down, as pushed.';
COMMENT ON COLUMN postings.description_digest IS
    'SHA-256 of raw_description in UTF-8: a description that is pushed again is compared without being read.';
COMMENT ON COLUMN postings.metadata IS
    'A JSON object; json and not jsonb, so that order, repeats and spelling stay as sent.';
COMMENT ON COLUMN postings.raw_description IS 'HTML, as sent.';

-- The two orders of the list: all postings, and those of one status.
CREATE INDEX postings_by_update ON postings (updated_at, id);
CREATE INDEX postings_by_status ON postings (status, updated_at, id);

-- What the worker that ends lifetimes asks for. A query uses it only if it repeats the two
-- status names literally.
CREATE INDEX postings_by_end ON postings (expire_at, source_identifier)
    WHERE expire_at IS NOT NULL AND status IN ('PendingEnrichment', 'approved');

CREATE TABLE posting_texts (
    posting_id uuid NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    latitude double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude double precision CHECK (longitude BETWEEN -180 AND 180),
    markdown text COMPRESSION lz4 NOT NULL,
    redacted_markdown text COMPRESSION lz4 NOT NULL,
    CHECK ((latitude IS NULL) = (longitude IS NULL))
)
-- Written anew with each enrichment, and no index has a column that changes.
WITH (fillfactor = 80);

COMMENT ON TABLE posting_texts IS
    'What enrichment made of a posting. Apart from it, because no rule reads the texts and a push does not write them.';
COMMENT ON COLUMN posting_texts.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_texts.latitude IS 'Degrees north, WGS 84; unset when not known.';
COMMENT ON COLUMN posting_texts.longitude IS 'Degrees east, WGS 84; unset when not known.';
COMMENT ON COLUMN posting_texts.markdown IS 'The description as CommonMark.';
COMMENT ON COLUMN posting_texts.redacted_markdown IS
    'The same without what identifies the company or leads past the board.';

CREATE TABLE posting_history (
    posting_id uuid NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    version bigint NOT NULL,
    step integer NOT NULL CHECK (step >= 0),
    at timestamptz NOT NULL,
    status text COLLATE "C" NOT NULL
        CHECK (status IN ('PendingEnrichment', 'approved', 'rejected', 'expired')),
    reason text,
    actor text COLLATE "C" NOT NULL
        CHECK (actor IN ('enricher', 'operator', 'lifetime') OR actor LIKE 'client:%'),
    PRIMARY KEY (posting_id, version, step)
);

COMMENT ON TABLE posting_history IS
    'What became of a posting, in the order of the key. Rows are only ever added.';
COMMENT ON COLUMN posting_history.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_history.version IS
    'The version of the posting that the commit wrote which added this entry.';
COMMENT ON COLUMN posting_history.step IS 'Counts the entries of one commit, from 0.';
COMMENT ON COLUMN posting_history.at IS 'When.';
COMMENT ON COLUMN posting_history.status IS 'The status from then on.';
COMMENT ON COLUMN posting_history.reason IS 'Why, where there is a reason.';
COMMENT ON COLUMN posting_history.actor IS
    'Who brought it about: client:ID, enricher, operator or lifetime.';

CREATE TABLE clients (
    id uuid NOT NULL PRIMARY KEY,
    name text NOT NULL,
    scopes text[] COLLATE "C" NOT NULL CHECK (array_position(scopes, NULL) IS NULL),
    secret_digest bytea NOT NULL CHECK (octet_length(secret_digest) = 32),
    created_at timestamptz NOT NULL,
    revoked_at timestamptz
);

COMMENT ON TABLE clients IS 'OAuth clients: who may ask for tokens.';
COMMENT ON COLUMN clients.id IS 'The client_id.';
COMMENT ON COLUMN clients.name IS 'What people call it.';
COMMENT ON COLUMN clients.scopes IS 'What it may ask for, without repeats.';
COMMENT ON COLUMN clients.secret_digest IS
    'SHA-256 of the secret, which has 256 random bits and is stored nowhere.';
COMMENT ON COLUMN clients.created_at IS 'When it was made.';
COMMENT ON COLUMN clients.revoked_at IS 'When it was revoked; its tokens stop working then.';

CREATE TABLE subscribers (
    id uuid NOT NULL PRIMARY KEY,
    version bigint NOT NULL CHECK (version >= 1),
    email text COLLATE "C" NOT NULL UNIQUE CHECK (email <> ''),
    reported_at timestamptz,
    name text,
    country text,
    membership_plan_category text COLLATE "C"
        CHECK (membership_plan_category IN ('individual', 'team')),
    membership_status text COLLATE "C"
        CHECK (membership_status IN ('active', 'expired', 'canceled')),
    membership_expires_at date
        CHECK (membership_expires_at BETWEEN '0001-01-01' AND '9999-12-31'),
    status text COLLATE "C" NOT NULL
        CHECK (status IN ('active', 'removed', 'bounced', 'unsubscribed', 'spam_reported')),
    suppressed_by text COLLATE "C" CHECK (
        suppressed_by IN (
            'webhook', 'answer', 'move', 'import', 'reconciliation', 'operator', 'link', 'erasure'
        )
    ),
    suppressed_in text COLLATE "C" CHECK (suppressed_in IN ('old', 'new')),
    suppressed_at timestamptz,
    suppressed_because text,
    reinstated_at timestamptz,
    departure text COLLATE "C" CHECK (departure IN ('moved', 'erased')),
    moved_to uuid,
    old_id text COLLATE "C",
    old_is_quiet boolean NOT NULL DEFAULT false,
    old_is_withdrawn boolean NOT NULL DEFAULT false,
    new_id text COLLATE "C",
    new_is_quiet boolean NOT NULL DEFAULT false,
    new_is_withdrawn boolean NOT NULL DEFAULT false,
    as_of timestamptz,
    migrated_at timestamptz,
    migration_source text COLLATE "C"
        CHECK (migration_source IN ('launch', 'email_confirmation', 'manual')),
    migration_arrived boolean NOT NULL,
    migration_shown_in text COLLATE "C" CHECK (migration_shown_in IN ('old', 'new', 'both')),
    migration_token text COLLATE "C" NOT NULL UNIQUE CHECK (migration_token <> ''),
    told bytea CHECK (octet_length(told) = 32),
    told_at timestamptz,
    updated_at timestamptz NOT NULL,
    CHECK ((membership_plan_category IS NULL) = (membership_status IS NULL)),
    CHECK (membership_status IS NOT NULL OR membership_expires_at IS NULL),
    CHECK ((suppressed_by IS NULL) = (suppressed_at IS NULL)),
    CHECK ((coalesce(departure, '') = 'moved') = (moved_to IS NOT NULL)),
    CHECK (departure IS NULL OR reported_at IS NULL),
    CHECK (suppressed_by IS NOT NULL OR suppressed_in IS NULL),
    CHECK (suppressed_by IS NOT NULL OR suppressed_because IS NULL),
    CHECK ((migrated_at IS NULL) = (migration_source IS NULL)),
    CHECK (migrated_at IS NOT NULL OR NOT migration_arrived),
    CHECK (migrated_at IS NOT NULL OR migration_shown_in IS NULL)
)
-- Hardly any update changes a column that an index has, so with space left it stays on its page.
WITH (fillfactor = 80);

COMMENT ON TABLE subscribers IS
    'What is known of an e-mail address: as the membership system reports the person, and as the e-mail provider says they stand. Deleted only when a person was erased, or has another address.';
COMMENT ON COLUMN subscribers.id IS 'The id in this service.';
COMMENT ON COLUMN subscribers.version IS
    'Counts the commits that wrote the row; each of them names the version it has read.';
COMMENT ON COLUMN subscribers.email IS
    'The address, trimmed and in lower case, compared byte for byte. One address cannot have two rows, so a report and a suppression that race for it meet.';
COMMENT ON COLUMN subscribers.reported_at IS
    'When the membership system first reported the person; until then the row only keeps what the provider said about the address.';
COMMENT ON COLUMN subscribers.name IS 'As last reported.';
COMMENT ON COLUMN subscribers.country IS 'As last reported, by its name.';
COMMENT ON COLUMN subscribers.membership_plan_category IS
    'Whose membership it is: individual or team; unset without a membership.';
COMMENT ON COLUMN subscribers.membership_status IS
    'Where the membership stands: active, expired or canceled; unset without one.';
COMMENT ON COLUMN subscribers.membership_expires_at IS 'Until when it is paid for, where known.';
COMMENT ON COLUMN subscribers.status IS
    'Whether the person may be written to: active, removed, bounced, unsubscribed or spam_reported. The strongest that was seen.';
COMMENT ON COLUMN subscribers.suppressed_by IS
    'From what a suppression was learnt: webhook, answer, move, import, reconciliation, operator, link or erasure (what is remembered of a person who was erased).';
COMMENT ON COLUMN subscribers.suppressed_in IS
    'The account that showed the suppression, where that is known: old or new.';
COMMENT ON COLUMN subscribers.suppressed_at IS 'When the suppression was learnt.';
COMMENT ON COLUMN subscribers.suppressed_because IS 'Why: the words of an operator, or what is known of the delivery.';
COMMENT ON COLUMN subscribers.reinstated_at IS
    'When an operator reinstated the person last: what the provider says of before that does not count.';
COMMENT ON COLUMN subscribers.departure IS
    'Why the address is to go from both accounts, if it is: moved (the person has another one) or erased (the person is to be forgotten).';
COMMENT ON COLUMN subscribers.moved_to IS
    'Of moved only: the id of the person''s row, which has the other address.';
COMMENT ON COLUMN subscribers.old_id IS
    'The id of the person in the old account, once that has shown one.';
COMMENT ON COLUMN subscribers.old_is_quiet IS
    'Whether the old account is known to send nothing to a person who is suppressed.';
COMMENT ON COLUMN subscribers.old_is_withdrawn IS
    'Whether this service itself has unsubscribed the person in the old account, or was about to.';
COMMENT ON COLUMN subscribers.new_id IS
    'The id of the person in the new account, once that has shown one.';
COMMENT ON COLUMN subscribers.new_is_quiet IS
    'Whether the new account is known to send nothing to a person who is suppressed.';
COMMENT ON COLUMN subscribers.new_is_withdrawn IS
    'Whether this service itself has unsubscribed the person in the new account, or was about to.';
COMMENT ON COLUMN subscribers.as_of IS
    'The moment of which the last report that says one is.';
COMMENT ON COLUMN subscribers.migrated_at IS
    'When the person moved to the provider''s new account; unset in the old one.';
COMMENT ON COLUMN subscribers.migration_source IS
    'Who moved them: launch, email_confirmation or manual.';
COMMENT ON COLUMN subscribers.migration_arrived IS
    'Whether the provider''s accounts show the move already.';
COMMENT ON COLUMN subscribers.migration_shown_in IS
    'Which accounts have shown the person in the course of the move: old (found there), new (has joined its group, under this address or one before) or both.';
COMMENT ON COLUMN subscribers.migration_token IS
    'What lets the holder of an e-mailed link move. A secret.';
COMMENT ON COLUMN subscribers.told IS
    'SHA-256 of what the account that the person is in is known to hold; unset while that is not known.';
COMMENT ON COLUMN subscribers.told_at IS
    'When an account was last told, or shown to hold, what was news to it.';
COMMENT ON COLUMN subscribers.updated_at IS 'When it was last written.';

-- Who is still in the old account, in the order of the list. A query uses it only if it repeats
-- both conditions. (The list of all goes by the index of the address.)
CREATE INDEX subscribers_unmigrated ON subscribers (email)
    WHERE migrated_at IS NULL AND reported_at IS NOT NULL;

-- Who is suppressed, reported or not, in the order of the list. A query uses it only if it
-- repeats the condition.
CREATE INDEX subscribers_suppressed ON subscribers (email) WHERE status <> 'active';

CREATE TABLE account_leases (
    account text COLLATE "C" NOT NULL PRIMARY KEY CHECK (account IN ('old', 'new')),
    holder uuid NOT NULL,
    ends_at timestamptz NOT NULL
);

COMMENT ON TABLE account_leases IS
    'Which process speaks to which of the provider''s accounts: one at a time keeps to its request limit.';
COMMENT ON COLUMN account_leases.account IS 'The account: old or new.';
COMMENT ON COLUMN account_leases.holder IS 'A random id of the process.';
COMMENT ON COLUMN account_leases.ends_at IS
    'When the lease ends if it is not renewed: a process that died holds nothing for long.';

CREATE TABLE account_states (
    account text COLLATE "C" NOT NULL PRIMARY KEY CHECK (account IN ('old', 'new')),
    paused_until timestamptz,
    pause_reason text,
    reconciled_at timestamptz
);

COMMENT ON TABLE account_states IS
    'What is kept of each of the provider''s accounts beside its lease: pauses outlast processes.';
COMMENT ON COLUMN account_states.account IS 'The account: old or new.';
COMMENT ON COLUMN account_states.paused_until IS 'Until when nothing is sent to it.';
COMMENT ON COLUMN account_states.pause_reason IS 'Why nothing is sent to it.';
COMMENT ON COLUMN account_states.reconciled_at IS
    'When its whole list was read to the end last.';

CREATE TABLE erased_suppressions (
    hash bytea NOT NULL PRIMARY KEY CHECK (octet_length(hash) = 32),
    status text COLLATE "C" NOT NULL
        CHECK (status IN ('removed', 'bounced', 'unsubscribed', 'spam_reported')),
    at timestamptz NOT NULL
);

COMMENT ON TABLE erased_suppressions IS
    'What is remembered of suppressed people who were erased, so that nobody writes to them again.';
COMMENT ON COLUMN erased_suppressions.hash IS
    'HMAC-SHA-256 of the address, with the key of erasure_keys.';
COMMENT ON COLUMN erased_suppressions.status IS
    'How the person stood: removed, bounced, unsubscribed or spam_reported.';
COMMENT ON COLUMN erased_suppressions.at IS 'When that became all that is known.';

CREATE TABLE erasure_keys (
    is_the_one boolean NOT NULL PRIMARY KEY CHECK (is_the_one),
    key bytea NOT NULL CHECK (octet_length(key) = 32)
);

COMMENT ON TABLE erasure_keys IS 'The key of the hashes in erased_suppressions, made once.';
COMMENT ON COLUMN erasure_keys.is_the_one IS 'There is one key.';
COMMENT ON COLUMN erasure_keys.key IS '256 bits, 244 of them random. A secret.';

INSERT INTO erasure_keys (is_the_one, key)
    SELECT true, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());

-- What has to happen outside the database, written in the commit that makes it necessary.
--
-- A row is an effect (a key without data: its handler loads the current state, so there is at
-- most one row for each) or an event (a row with data for each, delivered in order per subject).

CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Kinds are not listed here, so that a new one needs no migration.
    kind text COLLATE "C" NOT NULL CHECK (kind <> ''),
    -- No foreign key: kinds differ in what they are for.
    subject uuid NOT NULL,
    -- Not listed here either.
    account text COLLATE "C" CHECK (account <> ''),
    generation bigint NOT NULL DEFAULT 1,
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_at timestamptz NOT NULL,
    lease uuid,
    lost integer NOT NULL DEFAULT 0 CHECK (lost >= 0),
    blocked boolean NOT NULL DEFAULT false,
    first_failed_at timestamptz,
    last_error text,
    dead_at timestamptz,
    created_at timestamptz NOT NULL,
    event_name text COLLATE "C",
    source_identifier text COLLATE "C",
    occurred_at timestamptz,
    CHECK (dead_at IS NULL OR lease IS NULL),
    CHECK ((kind = 'event') = (event_name IS NOT NULL)),
    CHECK (kind = 'event' OR source_identifier IS NULL),
    CHECK ((kind = 'event') = (occurred_at IS NOT NULL)),
    CHECK (lost = 0 OR lease IS NOT NULL),
    CHECK (NOT blocked OR (kind = 'event' AND lease IS NULL))
)
-- A queue: every row is soon updated and deleted. Left for long, its dead rows would be in the
-- way of every claim, so they are cleared by count and not by the table's size.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE outbox IS
    'Effects to bring about and events to deliver. A finished task is deleted.';
COMMENT ON COLUMN outbox.id IS
    'Numbers the rows; those of the events of one subject in the order of its commits.';
COMMENT ON COLUMN outbox.kind IS
    '''event'', or the kind of effect, as the context that owns it declares it.';
COMMENT ON COLUMN outbox.subject IS
    'What it is for: a posting, a company or a subscriber, by its kind or the name of its event.';
COMMENT ON COLUMN outbox.account IS
    'The lane of its kind that was asked for last, of kinds that have several: of ''sync'' the provider''s account. One that ends with -bulk waits behind all others.';
COMMENT ON COLUMN outbox.generation IS
    'Counts how often an effect was asked for. A task that was asked for again since it was claimed is due once more when it is finished.';
COMMENT ON COLUMN outbox.attempts IS 'How often it was claimed since it was asked for anew.';
COMMENT ON COLUMN outbox.next_at IS
    'When it is due, or when its lease ends: a task whose worker died is due by itself.';
COMMENT ON COLUMN outbox.lease IS 'The claim it is worked on under.';
COMMENT ON COLUMN outbox.lost IS
    'How many claims in a row ended without a report: their workers died, perhaps of this task.';
COMMENT ON COLUMN outbox.blocked IS
    'Whether an earlier event of the same subject is dead, so that it cannot be claimed.';
COMMENT ON COLUMN outbox.first_failed_at IS
    'The first failed attempt since it was asked for anew.';
COMMENT ON COLUMN outbox.last_error IS 'What went wrong last.';
COMMENT ON COLUMN outbox.dead_at IS
    'When it was given up; it stays until an operator revives it or it is asked for again.';
COMMENT ON COLUMN outbox.created_at IS 'When it was written.';
COMMENT ON COLUMN outbox.event_name IS 'Of events only: what happened.';
COMMENT ON COLUMN outbox.source_identifier IS
    'Of the events of postings only: the posting''s id in the world it comes from.';
COMMENT ON COLUMN outbox.occurred_at IS 'Of events only: when it happened.';

-- One row for each effect.
CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject) WHERE kind <> 'event';

-- Finds the oldest event of a subject.
CREATE INDEX outbox_events ON outbox (subject, id) WHERE kind = 'event';

-- What workers ask for: the tasks of a queue that are due, the longest due first; and those whose
-- lease ended, likewise. A query uses them only if it repeats expression and conditions literally.
-- A task is in one of them or in neither, so a claim costs one entry.
CREATE INDEX outbox_due ON outbox (kind, coalesce(account, ''), next_at, id)
    WHERE dead_at IS NULL AND lease IS NULL AND NOT blocked;
CREATE INDEX outbox_leased ON outbox (kind, coalesce(account, ''), next_at, id)
    WHERE lease IS NOT NULL;

-- The dead event of a subject, which new ones of the same subject wait for, and what waits.
CREATE INDEX outbox_dead_events ON outbox (subject) WHERE kind = 'event' AND dead_at IS NOT NULL;
CREATE INDEX outbox_blocked ON outbox (subject, id) WHERE blocked;

-- What operators ask for.
CREATE INDEX outbox_dead ON outbox (id) WHERE dead_at IS NOT NULL;

-- Lets one statement be a whole commit: what it finds out on its way can undo it.
CREATE FUNCTION must_hold(condition boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF condition IS NOT TRUE THEN
        RAISE EXCEPTION 'the state moved meanwhile' USING ERRCODE = 'serialization_failure';
    END IF;
END
$$;

COMMENT ON FUNCTION must_hold (boolean) IS
    'Fails with 40001 unless the condition is true: the caller has to read again.';

CREATE TABLE audit (
    id uuid NOT NULL PRIMARY KEY,
    at timestamptz NOT NULL,
    operator text NOT NULL CHECK (operator <> ''),
    action text COLLATE "C" NOT NULL CHECK (action <> ''),
    subject text,
    details json NOT NULL CHECK (json_typeof(details) = 'object')
);

COMMENT ON TABLE audit IS
    'What operators did, each line written with what it tells of. People are named by their ids, so that no address is kept here.';
COMMENT ON COLUMN audit.id IS 'The id of the line.';
COMMENT ON COLUMN audit.at IS 'When it was done, or began.';
COMMENT ON COLUMN audit.operator IS 'The name of the operator.';
COMMENT ON COLUMN audit.action IS
    'What was done, such as subscribers.suppress. Not listed here, so that a new one needs no migration.';
COMMENT ON COLUMN audit.subject IS
    'To whom or what it was done: a subscriber''s id, a posting''s source identifier.';
COMMENT ON COLUMN audit.details IS 'Further things to say: a JSON object.';

-- The order in which it is read.
CREATE INDEX audit_newest ON audit (at, id);

-- A row begins as a reservation, by the worker that asks the model, and becomes the draft.
CREATE TABLE drafts (
    key bytea NOT NULL PRIMARY KEY CHECK (octet_length(key) = 32),
    holder uuid,
    reserved_until timestamptz,
    used_at timestamptz NOT NULL,
    draft text COMPRESSION lz4,
    CHECK ((draft IS NULL) = (holder IS NOT NULL)),
    CHECK ((holder IS NULL) = (reserved_until IS NULL))
)
-- Renewing a reservation changes no column that an index has, so with space left it stays on its
-- page.
WITH (fillfactor = 80);

COMMENT ON TABLE drafts IS
    'What a language model was paid for, and who is about to pay. What is long unused is deleted.';
COMMENT ON COLUMN drafts.key IS
    'SHA-256 of everything that the draft depends on: the content of a posting, the model and its instructions.';
COMMENT ON COLUMN drafts.holder IS
    'The worker that gets the draft: a random id. Unset once there is one.';
COMMENT ON COLUMN drafts.reserved_until IS
    'When the reservation ends if it is not renewed: a process that died keeps nobody waiting for long. Unset once there is a draft.';
COMMENT ON COLUMN drafts.used_at IS
    'When the draft was last kept or found, give or take a day; before there is one, when it was first asked for.';
COMMENT ON COLUMN drafts.draft IS 'The draft, as the model''s adapter writes it; unset while reserved.';

-- What has been unused for longest.
CREATE INDEX drafts_used ON drafts (used_at);
