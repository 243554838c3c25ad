-- Tokens that an operator ended. A nullable column is added without a look at the rows.

-- The earliest time of issue of its tokens that are accepted; NULL for any.
ALTER TABLE clients ADD COLUMN tokens_from INTEGER;
