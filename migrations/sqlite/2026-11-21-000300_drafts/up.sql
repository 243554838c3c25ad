-- What a language model was paid for, so that nobody pays for the same content twice. What is
-- long unused is deleted.
--
-- A row begins as a reservation, by whoever gets the draft from the model, and becomes the draft.
CREATE TABLE drafts (
    -- SHA-256 of everything that the draft depends on: the content of a posting, the model and
    -- its instructions.
    key BLOB NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    -- Who gets the draft: a random id. Unset once there is one.
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
