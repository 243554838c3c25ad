-- Tokens that an operator ended. A nullable column is added without a look at the rows.

ALTER TABLE clients ADD COLUMN tokens_from timestamptz;

COMMENT ON COLUMN clients.tokens_from IS
    'The earliest time of issue of its tokens that are accepted; NULL for any.';
