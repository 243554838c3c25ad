-- Everything that version 0.2.0 stores: postings with their companies, OAuth clients, newsletter
-- subscribers, the outbox, the audit, and the drafts of language models.
--
-- In every table: ids are the 16 bytes of a UUID, and times are whole microseconds since
-- 1970-01-01T00:00:00Z. The checks hold what the program relies on when it reads a row back;
-- the rules about what may become of a row are the program's.

-- Upserted with the postings that name them.
CREATE TABLE companies (
    -- The UUIDv5 of the website: one website cannot have two rows.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL,
    -- In the normal form that companies are matched by.
    website TEXT NOT NULL,
    logo_path TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Columns that are read without the others come first, large ones last: SQLite reads a row
-- from its beginning and follows it onto further pages only as far as it must.
CREATE TABLE postings (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- The posting's id in the world it comes from, compared byte for byte.
    source_identifier TEXT NOT NULL COLLATE BINARY UNIQUE CHECK (source_identifier <> ''),
    -- Counts the commits that wrote the row; each of them names the version it has read.
    version INTEGER NOT NULL CHECK (version >= 1),
    status TEXT NOT NULL
        CHECK (status IN ('PendingEnrichment', 'approved', 'rejected', 'expired')),
    -- The reason of the newest change of status.
    status_reason TEXT,
    -- 1: the status is an operator's verdict; a rejection no enricher overrules.
    moderated INTEGER NOT NULL CHECK (moderated IN (0, 1)),
    -- Without an index: nothing asks for a company's postings, and companies are never deleted.
    company_id BLOB NOT NULL REFERENCES companies (id),
    -- SHA-256 of the content that the last enrichment outcome was for.
    enriched_hash BLOB CHECK (length(enriched_hash) = 32),
    -- SHA-256 of the content that an operator approved, which no enricher overrules.
    approved_hash BLOB CHECK (length(approved_hash) = 32),
    is_featured INTEGER NOT NULL CHECK (is_featured IN (0, 1)),
    -- When it was first approved.
    published_at INTEGER,
    -- When its lifetime ends.
    expire_at INTEGER,
    -- When it was taken down.
    expired_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    title TEXT NOT NULL,
    -- Comma-separated, in the order sent, without repeats; '' when there are none:
    -- full-time, part-time, contract, internship.
    employment_types TEXT NOT NULL,
    -- Likewise: remote, on-site, hybrid, other.
    location_types TEXT NOT NULL,
    -- ISO 3166-1 alpha-2, upper case.
    location_country_code TEXT CHECK (length(location_country_code) = 2),
    location_city TEXT,
    -- Whole units of the currency.
    salary_min INTEGER CHECK (salary_min >= 0),
    salary_max INTEGER CHECK (salary_max >= 0),
    -- ISO 4217, upper case.
    salary_currency_code TEXT CHECK (length(salary_currency_code) = 3),
    salary_period TEXT CHECK (salary_period IN ('hourly', 'weekly', 'monthly', 'annually')),
    application_email TEXT,
    application_url TEXT,
    expiration_reason TEXT,
    -- SHA-256 of raw_description: a description that is pushed again is compared without being
    -- read.
    description_digest BLOB NOT NULL CHECK (length(description_digest) = 32),
    -- A JSON object as text, so that order and spelling stay as sent.
    metadata TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
    -- HTML, as sent.
    raw_description TEXT NOT NULL
) STRICT;

-- The two orders of the list: all postings, and those of one status.
CREATE INDEX postings_by_update ON postings (updated_at, id);
CREATE INDEX postings_by_status ON postings (status, updated_at, id);

-- What the worker that ends lifetimes asks for. A query uses it only if it repeats the two
-- status names literally.
CREATE INDEX postings_by_end ON postings (expire_at)
    WHERE expire_at IS NOT NULL AND status IN ('PendingEnrichment', 'approved');

-- What enrichment made of a posting. Apart from it, because no rule reads the texts and a
-- push does not write them.
CREATE TABLE posting_texts (
    posting_id BLOB NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    -- WGS 84, in degrees; both or neither.
    latitude REAL CHECK (latitude BETWEEN -90 AND 90),
    longitude REAL CHECK (longitude BETWEEN -180 AND 180),
    markdown TEXT NOT NULL,
    -- Without what identifies the company or leads past the board.
    redacted_markdown TEXT NOT NULL,
    CHECK ((latitude IS NULL) = (longitude IS NULL))
) STRICT;

-- What became of a posting; rows are only ever added. In the order of its key.
CREATE TABLE posting_history (
    posting_id BLOB NOT NULL REFERENCES postings (id) ON DELETE CASCADE,
    -- The version of the posting that the commit wrote which added this entry.
    version INTEGER NOT NULL,
    -- Counts the entries of one commit, from 0.
    step INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('PendingEnrichment', 'approved', 'rejected', 'expired')),
    reason TEXT,
    -- client:ID, enricher, operator or lifetime.
    actor TEXT NOT NULL,
    PRIMARY KEY (posting_id, version, step)
) STRICT, WITHOUT ROWID;

-- OAuth clients: who may ask for tokens.
CREATE TABLE clients (
    -- The client_id.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL,
    -- What it may ask for: comma-separated, without repeats.
    scopes TEXT NOT NULL,
    -- SHA-256 of the secret, which has 256 random bits and is stored nowhere.
    secret_digest BLOB NOT NULL CHECK (length(secret_digest) = 32),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

-- What is known of an e-mail address: as the membership system reports the person, and as the
-- e-mail provider says they stand. Deleted only when a person was erased, or has another address.
CREATE TABLE subscribers (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- Counts the commits that wrote the row; each of them names the version it has read.
    version INTEGER NOT NULL CHECK (version >= 1),
    -- Trimmed and in lower case, compared byte for byte. One address cannot have two rows, so a
    -- report and a suppression that race for it meet.
    email TEXT NOT NULL COLLATE BINARY UNIQUE CHECK (email <> ''),
    -- When the membership system first reported the person; until then the row only keeps what
    -- the provider said about the address.
    reported_at INTEGER,
    name TEXT,
    -- By its name.
    country TEXT,
    -- Whose membership it is, where it stands, and until when it is paid for (as 2026-12-31).
    -- All unset without a membership.
    membership_plan_category TEXT CHECK (membership_plan_category IN ('individual', 'team')),
    membership_status TEXT CHECK (membership_status IN ('active', 'expired', 'canceled')),
    membership_expires_at TEXT CHECK (
        membership_expires_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'
    ),
    -- Whether the person may be written to: the strongest that was ever seen.
    status TEXT NOT NULL
        CHECK (status IN ('active', 'removed', 'bounced', 'unsubscribed', 'spam_reported')),
    -- From what a suppression was learnt, in which account where that is known, when, and why: an
    -- operator's words, or what is known of the delivery.
    suppressed_by TEXT CHECK (
        suppressed_by IN (
            'webhook', 'answer', 'move', 'import', 'reconciliation', 'operator', 'link', 'erasure'
        )
    ),
    suppressed_in TEXT CHECK (suppressed_in IN ('old', 'new')),
    suppressed_at INTEGER,
    suppressed_because TEXT,
    -- When an operator reinstated the person last: what the provider says of before that does
    -- not count.
    reinstated_at INTEGER,
    -- Why the address is to go from both accounts, if it is: the person has another one, whose row
    -- is the one that is named, or is to be forgotten.
    departure TEXT CHECK (departure IN ('moved', 'erased')),
    moved_to BLOB CHECK (length(moved_to) = 16),
    -- The provider's id of the person in each account, once that has shown one; whether the
    -- account is known to send nothing to a person who is suppressed; and whether this service
    -- itself has unsubscribed the person there, or was about to.
    old_id TEXT,
    old_is_quiet INTEGER NOT NULL DEFAULT 0 CHECK (old_is_quiet IN (0, 1)),
    old_is_withdrawn INTEGER NOT NULL DEFAULT 0 CHECK (old_is_withdrawn IN (0, 1)),
    new_id TEXT,
    new_is_quiet INTEGER NOT NULL DEFAULT 0 CHECK (new_is_quiet IN (0, 1)),
    new_is_withdrawn INTEGER NOT NULL DEFAULT 0 CHECK (new_is_withdrawn IN (0, 1)),
    -- The moment of which the last report that says one is.
    as_of INTEGER,
    -- When the person moved to the provider's new account, and who moved them; unset in the old
    -- one.
    migrated_at INTEGER,
    migration_source TEXT
        CHECK (migration_source IN ('launch', 'email_confirmation', 'manual')),
    -- 1: the provider's accounts show the move already.
    migration_arrived INTEGER NOT NULL CHECK (migration_arrived IN (0, 1)),
    -- Which accounts have shown the person in the course of the move: the old one when they were
    -- found there, the new one when they had joined its group, under this address or one before.
    migration_shown_in TEXT CHECK (migration_shown_in IN ('old', 'new', 'both')),
    -- What lets the holder of an e-mailed link move. A secret.
    migration_token TEXT NOT NULL COLLATE BINARY UNIQUE CHECK (migration_token <> ''),
    -- SHA-256 of what the account that the person is in is known to hold; unset while that is
    -- not known.
    told BLOB CHECK (length(told) = 32),
    -- When an account was last told, or shown to hold, what was news to it.
    told_at INTEGER,
    updated_at INTEGER NOT NULL,
    CHECK ((membership_plan_category IS NULL) = (membership_status IS NULL)),
    CHECK (membership_status IS NOT NULL OR membership_expires_at IS NULL),
    CHECK ((suppressed_by IS NULL) = (suppressed_at IS NULL)),
    CHECK ((coalesce(departure, '') = 'moved') = (moved_to IS NOT NULL)),
    CHECK (departure IS NULL OR reported_at IS NULL),
    CHECK (suppressed_by IS NOT NULL OR suppressed_in IS NULL),
    CHECK (suppressed_by IS NOT NULL OR suppressed_because IS NULL),
    CHECK ((migrated_at IS NULL) = (migration_source IS NULL)),
    CHECK (migrated_at IS NOT NULL OR migration_arrived = 0),
    CHECK (migrated_at IS NOT NULL OR migration_shown_in IS NULL)
) STRICT;

-- Who is still in the old account, in the order of the list. A query uses it only if it repeats
-- both conditions. (The list of all goes by the index of the address.)
CREATE INDEX subscribers_unmigrated ON subscribers (email)
    WHERE migrated_at IS NULL AND reported_at IS NOT NULL;

-- Who is suppressed, reported or not, in the order of the list. A query uses it only if it
-- repeats the condition.
CREATE INDEX subscribers_suppressed ON subscribers (email) WHERE status <> 'active';

-- Which process speaks to which of the provider's accounts: one at a time keeps to its request
-- limit.
CREATE TABLE account_leases (
    account TEXT NOT NULL PRIMARY KEY CHECK (account IN ('old', 'new')),
    -- A random id of the process.
    holder BLOB NOT NULL CHECK (length(holder) = 16),
    -- When the lease ends if it is not renewed: a process that died holds nothing for long.
    ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is kept of each of the provider's accounts beside its lease: pauses outlast processes.
CREATE TABLE account_states (
    account TEXT NOT NULL PRIMARY KEY CHECK (account IN ('old', 'new')),
    -- Until when nothing is sent to it, and why.
    paused_until INTEGER,
    pause_reason TEXT,
    -- When its whole list was read to the end last.
    reconciled_at INTEGER
) STRICT, WITHOUT ROWID;

-- What is remembered of suppressed people who were erased: HMAC-SHA-256 of the address, with the
-- key below, and how the person stood.
CREATE TABLE erased_suppressions (
    hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    status TEXT NOT NULL
        CHECK (status IN ('removed', 'bounced', 'unsubscribed', 'spam_reported')),
    -- When that became all that is known.
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The key of these hashes, made once. A secret.
CREATE TABLE erasure_keys (
    is_the_one INTEGER NOT NULL PRIMARY KEY CHECK (is_the_one = 1),
    key BLOB NOT NULL CHECK (length(key) = 32)
) STRICT;

INSERT INTO erasure_keys (is_the_one, key) VALUES (1, randomblob(32));

-- What has to happen outside the database, written in the commit that makes it necessary.
--
-- A row is an effect (a key without data: its handler loads the current state, so there is at
-- most one row for each) or an event (a row with data for each, delivered in order per
-- subject). A finished task is deleted.
CREATE TABLE outbox (
    -- In the order written, and never used again: an operator may name a row that is gone.
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- 'event', or the kind of effect, as the context that owns it declares it. Kinds and their
    -- lanes are not listed here, because a new one would make it necessary to build the table anew.
    kind TEXT NOT NULL CHECK (kind <> ''),
    -- The UUID of what it is for: a posting, a company or a subscriber. No foreign key: kinds
    -- differ in what they are for.
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    -- The lane of its kind that was asked for last, of kinds that have several: of 'sync' the
    -- provider's account. One that ends with -bulk waits behind all others.
    account TEXT CHECK (account <> ''),
    -- Counts how often an effect was asked for. A task that was asked for again since it was
    -- claimed is due once more when it is finished.
    generation INTEGER NOT NULL DEFAULT 1,
    -- How often it was claimed since it was asked for anew.
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- When it is due, or when its lease ends: a task whose worker died is due by itself.
    next_at INTEGER NOT NULL,
    -- The claim it is worked on under.
    lease BLOB CHECK (length(lease) = 16),
    -- How many claims in a row ended without a report: their workers died, perhaps of this task.
    lost INTEGER NOT NULL DEFAULT 0 CHECK (lost >= 0),
    -- 1: an earlier event of the same subject is dead, so it cannot be claimed.
    blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
    -- The first failed attempt since it was asked for anew.
    first_failed_at INTEGER,
    last_error TEXT,
    -- Given up then; it stays until an operator revives it or it is asked for again.
    dead_at INTEGER,
    created_at INTEGER NOT NULL,
    -- Of events only: its name, of a posting's the posting's source identifier, and when it
    -- happened.
    event_name TEXT,
    source_identifier TEXT,
    occurred_at INTEGER,
    CHECK (dead_at IS NULL OR lease IS NULL),
    CHECK ((kind = 'event') = (event_name IS NOT NULL)),
    CHECK (kind = 'event' OR source_identifier IS NULL),
    CHECK ((kind = 'event') = (occurred_at IS NOT NULL)),
    CHECK (lost = 0 OR lease IS NOT NULL),
    CHECK (blocked = 0 OR (kind = 'event' AND lease IS NULL))
) STRICT;

-- One row for each effect.
CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject) WHERE kind <> 'event';

-- Finds the oldest event of a subject. (Every index ends with the row's id.)
CREATE INDEX outbox_events ON outbox (subject) WHERE kind = 'event';

-- What workers ask for: the tasks of a queue that are due, the longest due first; and those whose
-- lease ended, likewise. A task is in one of them or in neither, so a claim costs one entry.
CREATE INDEX outbox_due ON outbox (kind, account, next_at)
    WHERE dead_at IS NULL AND lease IS NULL AND blocked = 0;
CREATE INDEX outbox_leased ON outbox (kind, account, next_at) WHERE lease IS NOT NULL;

-- The dead event of a subject, which new ones of the same subject wait for, and what waits.
CREATE INDEX outbox_dead_events ON outbox (subject) WHERE kind = 'event' AND dead_at IS NOT NULL;
CREATE INDEX outbox_blocked ON outbox (subject) WHERE blocked = 1;

-- What operators ask for.
CREATE INDEX outbox_dead ON outbox (kind) WHERE dead_at IS NOT NULL;

-- What operators did, each line written with what it tells of. People are named by their ids, so
-- that no address is kept here.
CREATE TABLE audit (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    at INTEGER NOT NULL,
    -- The name of the operator.
    operator TEXT NOT NULL CHECK (operator <> ''),
    -- Such as 'subscribers.suppress'. Not listed here, so that a new one needs no migration.
    action TEXT NOT NULL CHECK (action <> ''),
    -- To whom or what it was done: a subscriber's id, a posting's source identifier.
    subject TEXT,
    -- Further things to say: a JSON object.
    details TEXT NOT NULL CHECK (details LIKE '{%}')
) STRICT, WITHOUT ROWID;

-- The order in which it is read.
CREATE INDEX audit_newest ON audit (at, id);

-- What a language model was paid for, so that nobody pays for the same content twice. What is
-- long unused is deleted.
--
-- A row begins as a reservation, by the worker that asks the model, and becomes the draft.
CREATE TABLE drafts (
    -- SHA-256 of everything that the draft depends on: the content of a posting, the model and
    -- its instructions.
    key BLOB NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    -- The worker that gets the draft: a random id. Unset once there is one.
    holder BLOB CHECK (length(holder) = 16),
    -- When the reservation ends if it is not renewed: a process that died keeps nobody waiting
    -- for long. Unset once there is a draft.
    reserved_until INTEGER,
    -- When the draft was last kept or found, give or take a day; before there is one, when it
    -- was first asked for.
    used_at INTEGER NOT NULL,
    -- As the model's adapter writes it; unset while reserved. Large, and so the last column.
    draft TEXT,
    CHECK ((draft IS NULL) = (holder IS NOT NULL)),
    CHECK ((holder IS NULL) = (reserved_until IS NULL))
) STRICT;

-- What has been unused for longest.
CREATE INDEX drafts_used ON drafts (used_at);
