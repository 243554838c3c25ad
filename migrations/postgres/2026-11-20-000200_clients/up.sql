-- OAuth clients: who may ask for tokens.

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
