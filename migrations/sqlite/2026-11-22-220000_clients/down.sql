-- Prefixes, limits, activity and all secrets but the newest of each client go. Clients with
-- prefixes have the whole board afterwards: revoke those that must not.
ALTER TABLE postings DROP COLUMN created_by;
ALTER TABLE postings DROP COLUMN updated_by;

DROP TABLE client_refusals;
DROP TABLE client_days;

CREATE TABLE clients_with_secrets (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    secret_digest BLOB NOT NULL CHECK (length(secret_digest) = 32),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO clients_with_secrets (id, name, scopes, secret_digest, created_at, revoked_at)
SELECT id, name, scopes, (
    SELECT digest FROM client_secrets WHERE client_id = clients.id
    ORDER BY expires_at IS NOT NULL, created_at DESC LIMIT 1
), created_at, revoked_at
FROM clients;

DROP TABLE client_secrets;
DROP TABLE clients;
ALTER TABLE clients_with_secrets RENAME TO clients;
