-- Prefixes, limits, activity and all secrets but the newest of each client go. Clients with
-- prefixes have the whole board afterwards: revoke those that must not.
ALTER TABLE postings DROP COLUMN created_by, DROP COLUMN updated_by;

DROP TABLE client_refusals;
DROP TABLE client_days;

ALTER TABLE clients ADD COLUMN secret_digest bytea CHECK (octet_length(secret_digest) = 32);

UPDATE clients SET secret_digest = newest.digest
FROM (
    SELECT DISTINCT ON (client_id) client_id, digest FROM client_secrets
    ORDER BY client_id, expires_at IS NOT NULL, created_at DESC
) AS newest
WHERE newest.client_id = clients.id;

ALTER TABLE clients
    ALTER COLUMN secret_digest SET NOT NULL,
    DROP COLUMN version,
    DROP COLUMN prefixes,
    DROP COLUMN requests_per_minute,
    DROP COLUMN last_push_at,
    RESET (fillfactor);

COMMENT ON COLUMN clients.secret_digest IS
    'SHA-256 of the secret, which has 256 random bits and is stored nowhere.';

DROP TABLE client_secrets;
