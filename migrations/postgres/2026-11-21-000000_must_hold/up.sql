-- Lets one statement be a whole commit: what it finds out on its way can undo it.

CREATE FUNCTION must_hold(condition boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF condition IS NOT TRUE THEN
        RAISE EXCEPTION 'the state moved meanwhile' USING ERRCODE = 'serialization_failure';
    END IF;
END
$$;

COMMENT ON FUNCTION must_hold (boolean) IS
    'Fails with 40001 unless the condition is true: whoever asked has to read again.';
