-- Newsletter subscribers, who speaks to the accounts of the e-mail provider, and what operators
-- did.
--
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
