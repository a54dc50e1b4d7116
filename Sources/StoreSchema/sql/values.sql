-- Changes of values.
--
-- The first change of a transaction locks the group's row of `heads`, so that versions have the order of commits: a
-- reader that has seen a version will not find a smaller one later. The version and the bytes of all values are
-- settings of the transaction from then on; keep_1 stores them.

-- Locks the values of a group, and returns their version.
CREATE FUNCTION corewire.open_1(grp int4) RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    version text := current_setting('corewire_op.version', true);
    head record;
BEGIN
    IF version <> '' THEN RETURN version::int8; END IF;
    SELECT h.version, h.bytes INTO STRICT head FROM corewire.heads h WHERE h.grp = open_1.grp FOR NO KEY UPDATE;
    PERFORM set_config('corewire_op.grp', grp::text, true), set_config('corewire_op.version', head.version::text, true),
        set_config('corewire_op.bytes', head.bytes::text, true);
    RETURN head.version;
END
$$;

-- Deletes changes past the history where a version crosses a step, since deleting costs as much as adding.
CREATE FUNCTION corewire.advance_version_1(grp int4, version int8, count int8, history int8) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    step int8 := greatest(256, history / 8);
    past int8;
BEGIN
    PERFORM set_config('corewire_op.version', (advance_version_1.version + count)::text, true);
    IF (advance_version_1.version + count) / step = advance_version_1.version / step THEN RETURN; END IF;
    SELECT c.version INTO past FROM corewire.changes c WHERE c.grp = advance_version_1.grp
    ORDER BY c.version DESC OFFSET greatest(1, history) LIMIT 1;
    IF past IS NULL THEN RETURN; END IF;
    DELETE FROM corewire.changes c WHERE c.grp = advance_version_1.grp AND c.version <= past;
    UPDATE corewire.heads h SET trimmed = past WHERE h.grp = advance_version_1.grp;
END
$$;

-- Changes the usage of a namespace, and of all together. `aged`: whether what is added has an age.
CREATE FUNCTION corewire.use_1(grp int4, ns bytea, entries int8, bytes int8, aged bool) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    IF entries = 0 AND bytes = 0 THEN RETURN; END IF;
    PERFORM set_config('corewire_op.bytes', (current_setting('corewire_op.bytes')::int8 + bytes)::text, true);
    UPDATE corewire.usage u
    SET entries = u.entries + use_1.entries, bytes = u.bytes + use_1.bytes,
        aged = u.aged AND (use_1.entries <= 0 OR use_1.aged)
    WHERE u.grp = use_1.grp AND u.ns = use_1.ns;
    IF NOT FOUND THEN
        INSERT INTO corewire.usage (grp, ns, entries, bytes, aged)
        VALUES (use_1.grp, use_1.ns, use_1.entries, use_1.bytes, use_1.aged);
    ELSIF entries < 0 THEN
        -- Namespaces are created without limit, so empty ones are deleted.
        DELETE FROM corewire.usage u WHERE u.grp = use_1.grp AND u.ns = use_1.ns AND u.entries <= 0;
    END IF;
END
$$;

CREATE FUNCTION corewire.put_1(grp int4, at int8, ns bytea, key bytea, type bytea, size int8, lifetime int8,
    sealed bool, bytes bytea, condition int2, version int8, most_entries int8, most_bytes int8, together_prefix bytea,
    together_bytes int8, names_prefix bytea, names int8, wider_prefix bytea, wider_names int8, removes_oldest bool,
    history int8)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    -- The time is taken once the values are locked, so that times have the order of versions.
    last int8 := corewire.open_1(grp);
    moment int8 := corewire.now_1(at);
    expires int8 := moment + lifetime;
    weight int8 := size + length(key);
    former int8;
    former_weight int8;
    present int8;
    removed int8 := 0;
    answer text;
BEGIN
    SELECT e.version, e.size + length(e.key), CASE WHEN e.expires <= moment THEN NULL ELSE e.version END
    INTO former, former_weight, present
    FROM corewire.entries e WHERE e.grp = put_1.grp AND e.ns = put_1.ns AND e.key = put_1.key;
    IF condition <> 0 THEN answer := corewire.conflict_1(condition, put_1.version, present); END IF;
    IF answer IS NULL AND present IS NULL AND names IS NOT NULL THEN
        answer := corewire.check_names_1(grp, ns, moment, names_prefix, names, wider_prefix, wider_names);
    END IF;
    IF answer IS NOT NULL THEN RETURN corewire.answer_1(answer); END IF;
    IF (present IS NULL OR weight > former_weight)
        AND (most_entries IS NOT NULL OR most_bytes IS NOT NULL OR together_bytes IS NOT NULL) THEN
        answer := corewire.make_space_1(grp, ns, key, moment, ROW((present IS NULL)::int4,
            weight - CASE WHEN present IS NULL THEN 0 ELSE former_weight END, weight), most_entries, most_bytes,
            together_prefix, together_bytes, removes_oldest, history);
        IF left(answer, 1) = '[' THEN RETURN corewire.answer_1(answer); END IF;
        removed := answer::int8;
        last := corewire.open_1(grp);
    END IF;
    IF former IS NULL THEN
        INSERT INTO corewire.entries (grp, ns, key, version, age, type, size, modified, expires, sealed, bytes)
        VALUES (put_1.grp, put_1.ns, put_1.key, last + 1, CASE WHEN removes_oldest THEN last + 1 END, put_1.type,
            put_1.size, moment, moment + lifetime, put_1.sealed, put_1.bytes);
    ELSE
        UPDATE corewire.entries e
        SET version = last + 1, age = CASE WHEN removes_oldest OR e.age IS NOT NULL THEN last + 1 END,
            type = put_1.type, size = put_1.size, modified = moment, expires = moment + lifetime, sealed = put_1.sealed,
            bytes = put_1.bytes
        WHERE e.grp = put_1.grp AND e.ns = put_1.ns AND e.key = put_1.key;
    END IF;
    INSERT INTO corewire.changes (grp, version, kind, ns, key) VALUES (put_1.grp, last + 1, 0, put_1.ns, put_1.key);
    IF former IS NULL OR weight <> former_weight THEN
        PERFORM corewire.use_1(grp, ns, (former IS NULL)::int4, weight - coalesce(former_weight, 0), removes_oldest);
    END IF;
    PERFORM corewire.advance_version_1(grp, last, 1, history);
    RETURN corewire.answer_1(concat('["put",', last + 1, CASE WHEN present IS NULL THEN ',true,' ELSE ',false,' END,
        removed, ',', moment, ',', coalesce(expires::text, 'null'), ']'));
END
$$;

-- The answer where a condition is false: 0 always, 1 absent, 2 present, 3 version; else NULL.
CREATE FUNCTION corewire.conflict_1(condition int2, wanted int8, present int8) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF condition = 0 OR condition = 1 AND present IS NULL OR condition = 2 AND present IS NOT NULL
        OR condition = 3 AND present = wanted THEN RETURN NULL; END IF;
    RETURN concat('["conflict",', coalesce(present::text, 'null'), ']');
END
$$;

-- MARK: Limits

-- The answer where a new entry would make one namespace too many, else NULL.
CREATE FUNCTION corewire.check_names_1(grp int4, ns bytea, moment int8, prefix bytea, most int8, wider_prefix bytea,
    wider_most int8)
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF corewire.has_entries_1(grp, ns, moment) THEN RETURN NULL; END IF;
    IF corewire.has_names_1(grp, prefix, most, moment) THEN
        RETURN concat('["full","namespaces",', most + 1, ']');
    END IF;
    IF corewire.has_names_1(grp, wider_prefix, wider_most, moment) THEN
        RETURN concat('["full","namespacesTogether",', wider_most + 1, ']');
    END IF;
    RETURN NULL;
END
$$;

-- Whether a namespace has an entry that has not expired.
CREATE FUNCTION corewire.has_entries_1(grp int4, ns bytea, moment int8) RETURNS bool LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    RETURN EXISTS (
        SELECT FROM corewire.entries e
        WHERE e.grp = has_entries_1.grp AND e.ns = has_entries_1.ns AND (e.expires IS NULL OR e.expires > moment)
    );
END
$$;

-- Whether a number of namespaces with a prefix have an entry that has not expired.
CREATE FUNCTION corewire.has_names_1(grp int4, prefix bytea, most int8, moment int8) RETURNS bool
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    past bytea := corewire.end_1(prefix);
BEGIN
    -- Those with expired entries only are told apart only where the answer depends on it.
    RETURN (
            SELECT count(*) FROM corewire.usage u
            WHERE u.grp = has_names_1.grp AND u.ns >= prefix AND u.ns < past
        ) >= most
        AND (
            SELECT count(*) FROM corewire.usage u
            WHERE u.grp = has_names_1.grp AND u.ns >= prefix AND u.ns < past
                AND corewire.has_entries_1(u.grp, u.ns, moment)
        ) >= most;
END
$$;

-- Removes the oldest entries so that a write stays within its limits; returns their number, or the answer that it is
-- full.
CREATE FUNCTION corewire.make_space_1(grp int4, ns bytea, key bytea, moment int8, growth corewire.growth_1,
    most_entries int8, most_bytes int8, together_prefix bytea, together_bytes int8, removes_oldest bool, history int8)
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    over_entries int8 := 0;
    over_bytes int8 := 0;
    over_together int8 := 0;
    removed int8;
BEGIN
    IF most_entries IS NOT NULL OR most_bytes IS NOT NULL THEN
        SELECT o.entries, o.bytes INTO over_entries, over_bytes
        FROM corewire.over_1(grp, ns, moment, growth, most_entries, most_bytes) o;
    END IF;
    IF together_bytes IS NOT NULL AND growth.bytes > 0 THEN
        over_together := corewire.over_together_1(grp, together_prefix, moment, growth.bytes, together_bytes);
    END IF;
    IF over_entries = 0 AND over_bytes = 0 AND over_together = 0 THEN RETURN '0'; END IF;
    IF removes_oldest AND (most_bytes IS NULL OR growth.weight <= most_bytes) THEN
        removed := corewire.remove_oldest_1(grp, ns, key, moment, over_entries, greatest(over_bytes, over_together),
            history);
        IF removed IS NOT NULL THEN RETURN removed::text; END IF;
    END IF;
    RETURN CASE
        WHEN over_entries > 0 THEN concat('["full","entries",', most_entries + over_entries, ']')
        WHEN over_bytes > 0 THEN concat('["full","size",', most_bytes + over_bytes, ']')
        ELSE concat('["full","together",', together_bytes + over_together, ']') END;
END
$$;

-- By how much a write would exceed the limits of its namespace.
CREATE FUNCTION corewire.over_1(grp int4, ns bytea, moment int8, growth corewire.growth_1, most_entries int8,
    most_bytes int8,
    OUT entries int8, OUT bytes int8)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    held record;
    gone record;
BEGIN
    SELECT coalesce(max(u.entries), 0) AS entries, coalesce(max(u.bytes), 0) AS bytes INTO held FROM corewire.usage u
    WHERE u.grp = over_1.grp AND u.ns = over_1.ns;
    entries := CASE WHEN growth.entries > 0 THEN greatest(0, held.entries + growth.entries - most_entries) ELSE 0 END;
    bytes := CASE WHEN growth.bytes > 0 THEN greatest(0, held.bytes + growth.bytes - most_bytes) ELSE 0 END;
    IF entries = 0 AND bytes = 0 THEN RETURN; END IF;
    -- Counting expired entries reads each of them, so this is done only at a limit.
    SELECT count(*) AS entries, coalesce(sum(e.size + length(e.key)), 0) AS bytes INTO gone FROM corewire.entries e
    WHERE e.grp = over_1.grp AND e.expires <= moment AND e.ns = over_1.ns;
    entries := greatest(0, entries - gone.entries);
    bytes := greatest(0, bytes - gone.bytes);
END
$$;

-- By how much a write would exceed the limit of all namespaces with a prefix.
CREATE FUNCTION corewire.over_together_1(grp int4, prefix bytea, moment int8, bytes int8, most int8) RETURNS int8
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    past bytea := corewire.end_1(prefix);
    held int8;
BEGIN
    -- If all entries together fit, a part of them does too.
    IF current_setting('corewire_op.bytes')::int8 + bytes <= most THEN RETURN 0; END IF;
    SELECT coalesce(sum(u.bytes), 0) INTO held FROM corewire.usage u
    WHERE u.grp = over_together_1.grp AND u.ns >= prefix AND u.ns < past;
    IF held + bytes <= most THEN RETURN 0; END IF;
    SELECT held - coalesce(sum(e.size + length(e.key)), 0) INTO held FROM corewire.entries e
    WHERE e.grp = over_together_1.grp AND e.expires <= moment AND e.ns >= prefix AND e.ns < past;
    RETURN greatest(0, held + bytes - most);
END
$$;

-- Removes the oldest entries of a namespace but one until some entries and bytes are free; NULL, and none, where that
-- is not possible. Expired entries go with them; they free nothing, since they did not count.
CREATE FUNCTION corewire.remove_oldest_1(grp int4, ns bytea, key bytea, moment int8, entries int8, bytes int8,
    history int8)
RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    old record;
    keys bytea[] := '{}';
    kinds int2[] := '{}';
    removed int8 := 0;
BEGIN
    PERFORM corewire.make_aged_1(grp, ns);
    FOR old IN
        SELECT e.key, e.size + length(e.key) AS weight, coalesce(e.expires <= moment, false) AS is_over
        FROM corewire.entries e
        WHERE e.grp = remove_oldest_1.grp AND e.ns = remove_oldest_1.ns AND e.key <> remove_oldest_1.key
            AND e.age IS NOT NULL
        ORDER BY e.age
    LOOP
        keys := keys || old.key;
        kinds := kinds || CASE WHEN old.is_over THEN 2 ELSE 1 END::int2;
        CONTINUE WHEN old.is_over;
        removed := removed + 1;
        entries := entries - 1;
        bytes := bytes - old.weight;
        EXIT WHEN entries <= 0 AND bytes <= 0;
    END LOOP;
    IF entries > 0 OR bytes > 0 THEN RETURN NULL; END IF;
    PERFORM corewire.delete_all_1(grp, array_fill(ns, ARRAY[cardinality(keys)]), keys, kinds, history);
    RETURN removed;
END
$$;

-- Gives an age to all entries of a namespace. A new entry may have none, so that is looked up again after additions.
CREATE FUNCTION corewire.make_aged_1(grp int4, ns bytea) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM corewire.usage u WHERE u.grp = make_aged_1.grp AND u.ns = make_aged_1.ns AND u.aged;
    IF FOUND THEN RETURN; END IF;
    UPDATE corewire.entries e SET age = e.version
    WHERE e.grp = make_aged_1.grp AND e.ns = make_aged_1.ns AND e.age IS NULL;
    UPDATE corewire.usage u SET aged = true WHERE u.grp = make_aged_1.grp AND u.ns = make_aged_1.ns;
END
$$;

-- MARK: Removing

-- Deletes entries, and adds a change for each.
CREATE FUNCTION corewire.delete_all_1(grp int4, spaces bytea[], keys bytea[], kinds int2[], history int8) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    last int8 := corewire.open_1(grp);
BEGIN
    IF coalesce(cardinality(keys), 0) = 0 THEN RETURN; END IF;
    INSERT INTO corewire.changes (grp, version, kind, ns, key)
    SELECT delete_all_1.grp, last + c.number, c.kind, c.ns, c.key
    FROM unnest(spaces, keys, kinds) WITH ORDINALITY AS c (ns, key, kind, number);
    WITH gone AS (
        DELETE FROM corewire.entries e USING unnest(spaces, keys) AS c (ns, key)
        WHERE e.grp = delete_all_1.grp AND e.ns = c.ns AND e.key = c.key
        RETURNING e.ns, e.size + length(e.key) AS weight
    ), sums AS (
        SELECT g.ns, count(*) AS entries, sum(g.weight)::int8 AS bytes FROM gone g GROUP BY g.ns ORDER BY g.ns
    )
    SELECT count(*) FROM sums s, LATERAL corewire.use_1(grp, s.ns, -s.entries, -s.bytes, true) INTO STRICT last;
    PERFORM corewire.advance_version_1(grp, corewire.open_1(grp), cardinality(keys), history);
END
$$;

CREATE FUNCTION corewire.delete_1(grp int4, at int8, ns bytea, key bytea, condition int2, version int8, history int8)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
    present int8;
    answer text;
BEGIN
    PERFORM corewire.open_1(grp);
    SELECT e.version INTO present FROM corewire.entries e
    WHERE e.grp = delete_1.grp AND e.ns = delete_1.ns AND e.key = delete_1.key
        AND (e.expires IS NULL OR e.expires > moment);
    answer := corewire.conflict_1(condition, delete_1.version, present);
    IF answer IS NOT NULL THEN RETURN corewire.answer_1(answer); END IF;
    IF present IS NULL THEN RETURN corewire.answer_1('[false]'); END IF;
    PERFORM corewire.delete_all_1(grp, ARRAY[ns], ARRAY[key], ARRAY[1::int2], history);
    RETURN corewire.answer_1('[true]');
END
$$;

-- Deletes all entries of a namespace; returns their number, without expired ones.
CREATE FUNCTION corewire.clear_1(grp int4, at int8, ns bytea, history int8)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
    keys bytea[];
    kinds int2[];
BEGIN
    PERFORM corewire.open_1(grp);
    SELECT array_agg(e.key ORDER BY e.key),
        array_agg(CASE WHEN e.expires <= moment THEN 2 ELSE 1 END::int2 ORDER BY e.key)
    INTO keys, kinds FROM corewire.entries e WHERE e.grp = clear_1.grp AND e.ns = clear_1.ns;
    PERFORM corewire.delete_all_1(grp, array_fill(ns, ARRAY[cardinality(keys)]), keys, kinds, history)
    WHERE keys IS NOT NULL;
    RETURN corewire.answer_1(concat('[', (SELECT count(*) FROM unnest(kinds) AS k WHERE k = 1), ']'));
END
$$;
