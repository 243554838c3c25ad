-- The operators' console: who is signed in.

CREATE TABLE console_passes (
    digest bytea NOT NULL PRIMARY KEY CHECK (octet_length(digest) = 32),
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('link', 'session')),
    operator text NOT NULL CHECK (operator <> ''),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

COMMENT ON TABLE console_passes IS
    'What lets a browser act for an operator: links that sign in once, and sessions.';
COMMENT ON COLUMN console_passes.digest IS
    'SHA-256 of the token, which has 256 random bits and is stored nowhere.';
COMMENT ON COLUMN console_passes.kind IS 'Link or session.';
COMMENT ON COLUMN console_passes.operator IS 'The name of the operator.';
COMMENT ON COLUMN console_passes.created_at IS 'When it was made.';
COMMENT ON COLUMN console_passes.expires_at IS
    'When it ends. A worker deletes it some time later.';

-- What the worker asks for that deletes them.
CREATE INDEX console_passes_by_end ON console_passes (expires_at);
