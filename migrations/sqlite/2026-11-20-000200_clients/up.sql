-- OAuth clients: who may ask for tokens.
CREATE TABLE clients (
    -- The client_id.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL,
    -- Space-separated, as in a token request (RFC 6749, section 3.3).
    scopes TEXT NOT NULL,
    -- SHA-256 of the secret, which has 256 random bits and is stored nowhere.
    secret_digest BLOB NOT NULL CHECK (length(secret_digest) = 32),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;
