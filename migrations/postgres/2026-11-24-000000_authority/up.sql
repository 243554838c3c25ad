-- Who owns a company and who changed it last. Nullable columns are added without a look at the rows.

ALTER TABLE companies ADD COLUMN owner uuid, ADD COLUMN updated_by text COLLATE "C";
ALTER TABLE events ADD COLUMN company_updated_by text COLLATE "C";

COMMENT ON COLUMN companies.owner IS
    'The client that owns it; NULL leaves it to the clients without prefixes. No foreign key: a revoked client stays the owner.';
COMMENT ON COLUMN companies.updated_by IS
    'Who changed name, logo or owner last: client:ID or operator:NAME; NULL of a change from before this was recorded.';
COMMENT ON COLUMN events.company_updated_by IS
    'Of events of companies: who changed it; NULL of an event from before this was recorded.';
COMMENT ON COLUMN postings.moderated IS
    'Whether its status is an operator''s word: a verdict or an expiry, which only an operator takes back.';
