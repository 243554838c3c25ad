-- What a language model was paid for, so that nobody pays for the same content twice.
--
-- A row begins as a reservation, by whoever gets the draft from the model, and becomes the draft.

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
    'Who gets the draft: a random id. Unset once there is one.';
COMMENT ON COLUMN drafts.reserved_until IS
    'When the reservation ends if it is not renewed: a process that died keeps nobody waiting for long. Unset once there is a draft.';
COMMENT ON COLUMN drafts.used_at IS
    'When the draft was last kept or found, give or take a day; before there is one, when it was first asked for.';
COMMENT ON COLUMN drafts.draft IS 'The draft, as the model''s adapter writes it; unset while reserved.';

-- What has been unused for longest.
CREATE INDEX drafts_used ON drafts (used_at);
