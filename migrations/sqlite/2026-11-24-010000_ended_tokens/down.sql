-- Tokens that were ended are accepted again, as long as they last.
ALTER TABLE clients DROP COLUMN tokens_from;
