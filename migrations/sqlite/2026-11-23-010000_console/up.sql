-- The operators' console: who is signed in.

-- What lets a browser act for an operator: links that sign in once, and sessions.
CREATE TABLE console_passes (
    -- SHA-256 of the token, which has 256 random bits and is stored nowhere.
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    kind TEXT NOT NULL CHECK (kind IN ('link', 'session')),
    -- The name of the operator.
    operator TEXT NOT NULL CHECK (operator <> ''),
    created_at INTEGER NOT NULL,
    -- When it ends. A worker deletes it some time later.
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the worker asks for that deletes them.
CREATE INDEX console_passes_by_end ON console_passes (expires_at);
