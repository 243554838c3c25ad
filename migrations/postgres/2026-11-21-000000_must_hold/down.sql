DROP FUNCTION must_hold (boolean);
