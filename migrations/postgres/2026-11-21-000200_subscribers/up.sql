-- Newsletter subscribers, who speaks to the accounts of the e-mail provider, and what operators
-- did.
--
-- The checks hold what the program relies on when it reads a row back; the rules about what may
-- become of a subscriber are the program's.

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
