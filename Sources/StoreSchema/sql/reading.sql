-- Reading, one statement each with one snapshot; sealed bytes; rights.

CREATE FUNCTION corewire.entry_1(grp int4, at int8, ns bytea, key bytea, whole bool)
RETURNS TABLE (version int8, type bytea, size int8, modified int8, expires int8, sealed bool, bytes bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
BEGIN
    RETURN QUERY
        SELECT e.version, e.type, e.size, e.modified, e.expires, e.sealed, CASE WHEN whole THEN e.bytes END
        FROM corewire.entries e
        WHERE e.grp = entry_1.grp AND e.ns = entry_1.ns AND e.key = entry_1.key
            AND (e.expires IS NULL OR e.expires > moment);
END
$$;

CREATE FUNCTION corewire.list_1(grp int4, at int8, ns bytea, prefix bytea, after bytea, most int4)
RETURNS TABLE (key bytea, version int8, type bytea, size int8, modified int8, expires int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
    past bytea := corewire.end_1(prefix);
    start bytea := greatest(prefix, after);
BEGIN
    RETURN QUERY
        SELECT e.key, e.version, e.type, e.size, e.modified, e.expires FROM corewire.entries e
        WHERE e.grp = list_1.grp AND e.ns = list_1.ns AND e.key >= start AND e.key < past
            AND (after IS NULL OR e.key > after) AND (e.expires IS NULL OR e.expires > moment)
        ORDER BY e.key LIMIT greatest(0, most);
END
$$;

-- The same with the values, up to a number of bytes, but always one.
CREATE FUNCTION corewire.entries_1(grp int4, at int8, ns bytea, prefix bytea, after bytea, most int4, most_bytes int8)
RETURNS TABLE (key bytea, version int8, type bytea, size int8, modified int8, expires int8, sealed bool, bytes bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    one record;
    held int8 := 0;
BEGIN
    -- Entry by entry, so that no value is read that is not sent.
    FOR one IN SELECT * FROM corewire.list_1(grp, at, ns, prefix, after, most) LOOP
        held := held + one.size;
        EXIT WHEN held > most_bytes AND held > one.size;
        RETURN QUERY
            SELECT e.key, e.version, e.type, e.size, e.modified, e.expires, e.sealed, e.bytes FROM corewire.entries e
            WHERE e.grp = entries_1.grp AND e.ns = entries_1.ns AND e.key = one.key;
    END LOOP;
END
$$;

CREATE FUNCTION corewire.usage_1(grp int4, at int8, ns bytea) RETURNS TABLE (entries int8, bytes int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
BEGIN
    RETURN QUERY
        SELECT coalesce(max(u.entries), 0) - gone.entries, coalesce(max(u.bytes), 0) - gone.bytes
        FROM (
            SELECT count(*) AS entries, coalesce(sum(e.size + length(e.key)), 0)::int8 AS bytes FROM corewire.entries e
            WHERE e.grp = usage_1.grp AND e.expires <= moment AND e.ns = usage_1.ns
        ) gone
        LEFT JOIN corewire.usage u ON u.grp = usage_1.grp AND u.ns = usage_1.ns
        GROUP BY gone.entries, gone.bytes;
END
$$;

CREATE FUNCTION corewire.namespaces_1(grp int4, at int8) RETURNS TABLE (ns bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
BEGIN
    RETURN QUERY
        SELECT u.ns FROM corewire.usage u
        WHERE u.grp = namespaces_1.grp AND corewire.has_entries_1(u.grp, u.ns, moment) ORDER BY u.ns;
END
$$;

-- The changes after a version, oldest first. See head_1.
CREATE FUNCTION corewire.changes_1(grp int4, after int8, of_ns bytea, most int4)
RETURNS TABLE (kind int2, ns bytea, key bytea, version int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT c.kind, c.ns, c.key, c.version FROM corewire.changes c
        WHERE c.grp = changes_1.grp AND c.version > after AND (of_ns IS NULL OR c.ns = of_ns)
        ORDER BY c.version LIMIT greatest(0, most);
END
$$;

-- The last version of a group, and the last one that is no longer in the history.
--
-- Read with changes_1, both must be of one snapshot, that is, in one statement:
--
--     SELECT h.version, h.trimmed, c.* FROM corewire.head_1(g) h LEFT JOIN corewire.changes_1(g, after, ns, most) c
-- ON true
--
-- In two statements, `version` must be read before the changes, or those between are skipped, and `trimmed` after
-- them, or a gap is not seen; so head_1 is called twice: head_1 (for version), changes_1, head_1 (for trimmed).
CREATE FUNCTION corewire.head_1(grp int4) RETURNS TABLE (version int8, trimmed int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT h.version, h.trimmed FROM corewire.heads h WHERE h.grp = head_1.grp;
END
$$;

-- MARK: Queues

-- An item as lists show it. What belongs to the first of a lane is in the lane.
CREATE OR REPLACE VIEW corewire.items AS
SELECT w.grp, w.queue, w.lane_id, w.position, w.id, l.lane, w.kind,
    CASE WHEN f.is_first THEN l.attempts ELSE w.attempts END AS attempts, w.size, w.added,
    CASE WHEN f.is_first THEN l.ready ELSE w.ready END AS due,
    f.is_first AND l.owner IS NOT NULL AS claimed, f.is_first AND l.owner IS NULL AND l.lost AS lost, f.is_first,
    CASE WHEN f.is_first THEN l.reason ELSE w.reason END AS reason,
    CASE WHEN f.is_first AND l.owner IS NULL THEN l.awaits END AS awaits, w.sealed, w.head,
    CASE WHEN f.is_first THEN l.owner END AS owner, w.payload
FROM corewire.work w JOIN corewire.lanes l ON l.id = w.lane_id, LATERAL (SELECT l.head = w.position AS is_first) f;

-- The items of a queue or of a lane after a position, with heads of some MiB together.
CREATE FUNCTION corewire.items_1(grp int4, at int8, queue bytea, of_lane bytea, after int8, most int4)
RETURNS TABLE ("position" int8, id bytea, lane bytea, kind bytea, attempts int4, size int8, added int8, due int8,
    age int8, wait int8, claimed bool, lost bool, is_first bool, reason bytea, awaits bytea, sealed bool, head bytea,
    owner int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
    of_id int8;
    page refcursor;
    weight int8 := 0;
BEGIN
    IF of_lane IS NULL THEN
        OPEN page FOR
            SELECT i.position, i.id, i.lane, i.kind, i.attempts, i.size, i.added, i.due, greatest(0, moment - i.added),
                greatest(0, i.due - moment), i.claimed, i.lost, i.is_first, i.reason, i.awaits, i.sealed, i.head,
                i.owner
            FROM corewire.items i
            WHERE i.grp = items_1.grp AND i.queue = items_1.queue AND i.position > coalesce(after, 0)
            ORDER BY i.position LIMIT greatest(0, most);
    ELSE
        SELECT l.id INTO of_id FROM corewire.lanes l
        WHERE l.grp = items_1.grp AND l.queue = items_1.queue AND l.lane = of_lane;
        OPEN page FOR
            SELECT i.position, i.id, i.lane, i.kind, i.attempts, i.size, i.added, i.due, greatest(0, moment - i.added),
                greatest(0, i.due - moment), i.claimed, i.lost, i.is_first, i.reason, i.awaits, i.sealed, i.head,
                i.owner
            FROM corewire.items i
            WHERE i.lane_id = of_id AND i.position > coalesce(after, 0)
            ORDER BY i.position LIMIT greatest(0, most);
    END IF;
    WHILE weight < 4194304 LOOP
        FETCH page INTO "position", id, lane, kind, attempts, size, added, due, age, wait, claimed, lost, is_first,
            reason, awaits, sealed, head, owner;
        EXIT WHEN NOT FOUND;
        RETURN NEXT;
        weight := weight + length(head);
    END LOOP;
    CLOSE page;
END
$$;

-- Which of some positions items of a queue have.
CREATE FUNCTION corewire.present_1(grp int4, queue bytea, positions int8[]) RETURNS TABLE ("position" int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT w.position FROM unnest(positions) AS p (n), corewire.work w
        WHERE w.grp = present_1.grp AND w.queue = present_1.queue AND w.position = p.n;
END
$$;

CREATE FUNCTION corewire.item_1(grp int4, at int8, queue bytea, of_id bytea)
RETURNS TABLE ("position" int8, id bytea, lane bytea, kind bytea, attempts int4, size int8, added int8, due int8,
    age int8, wait int8, claimed bool, lost bool, is_first bool, reason bytea, awaits bytea, sealed bool, head bytea,
    owner int8, payload bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
BEGIN
    RETURN QUERY
        SELECT i.position, i.id, i.lane, i.kind, i.attempts, i.size, i.added, i.due, greatest(0, moment - i.added),
            greatest(0, i.due - moment), i.claimed, i.lost, i.is_first, i.reason, i.awaits, i.sealed, i.head, i.owner,
            i.payload
        FROM corewire.items i
        WHERE i.grp = item_1.grp AND i.queue = item_1.queue AND i.id = of_id;
END
$$;

CREATE FUNCTION corewire.outcome_1(grp int4, at int8, queue bytea, id bytea)
RETURNS TABLE (note bytea, noted_for bytea, ended int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
BEGIN
    RETURN QUERY
        SELECT d.note, d.noted_for, d.ended FROM corewire.done d
        WHERE d.grp = outcome_1.grp AND d.queue = outcome_1.queue AND d.id = outcome_1.id AND d.until > moment;
END
$$;

CREATE FUNCTION corewire.queue_usage_1(grp int4, at int8, queue bytea)
RETURNS TABLE (entries int8, bytes int8, oldest_age int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
BEGIN
    RETURN QUERY
        SELECT coalesce(sum(s.entries), 0)::int8, coalesce(sum(s.bytes), 0)::int8, (
            SELECT greatest(0, moment - w.added) FROM corewire.work w
            WHERE w.grp = queue_usage_1.grp AND w.queue = queue_usage_1.queue ORDER BY w.position LIMIT 1
        ) FROM corewire.sums s WHERE s.grp = queue_usage_1.grp AND s.queue = queue_usage_1.queue;
END
$$;

-- The pauses of a queue; a lane may have several. The runner is NULL where a pause is no runner's.
CREATE FUNCTION corewire.pauses_1(grp int4, queue bytea) RETURNS TABLE (lane bytea, runner int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT p.lane, nullif(p.runner, 0) FROM corewire.pauses p
        WHERE p.grp = pauses_1.grp AND p.queue = pauses_1.queue ORDER BY p.lane, p.runner;
END
$$;

-- The number of claims of a queue.
CREATE FUNCTION corewire.claims_1(grp int4, queue bytea) RETURNS int8
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN (
        SELECT count(*) FROM corewire.runners r JOIN corewire.lanes l ON l.owner = r.id
        WHERE r.grp = claims_1.grp AND l.grp = claims_1.grp AND l.queue = claims_1.queue
    );
END
$$;

-- The time until an item that is not to be skipped may be claimed; NULL where none waits that is neither claimed nor paused.
CREATE FUNCTION corewire.due_1(grp int4, at int8, queue bytea, kinds bytea[], skips int8[]) RETURNS int8
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
BEGIN
    RETURN (
        SELECT greatest(0, l.ready - moment) FROM corewire.lanes l
        WHERE l.grp = due_1.grp AND l.queue = due_1.queue AND l.owner IS NULL
            AND (kinds IS NULL OR l.kind = ANY (kinds)) AND l.head <> ALL (skips)
            AND NOT EXISTS (
                SELECT FROM corewire.pauses p
                WHERE p.grp = due_1.grp AND p.queue = due_1.queue AND p.lane IN ('', l.lane)
            )
        ORDER BY l.ready, l.head LIMIT 1
    );
END
$$;

CREATE FUNCTION corewire.ended_count_1(grp int4, queue bytea) RETURNS int8
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN (
        SELECT count(*) FROM corewire.done d WHERE d.grp = ended_count_1.grp AND d.queue = ended_count_1.queue
    );
END
$$;

CREATE FUNCTION corewire.counts_1(grp int4, prefix bytea) RETURNS TABLE (items int8, ended int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    past bytea := corewire.end_1(prefix);
BEGIN
    RETURN QUERY SELECT
        (SELECT count(*) FROM corewire.work w WHERE w.grp = counts_1.grp AND w.queue >= prefix AND w.queue < past),
        (SELECT count(*) FROM corewire.done d WHERE d.grp = counts_1.grp AND d.queue >= prefix AND d.queue < past);
END
$$;

-- MARK: Sealed bytes

-- Sealed bytes after a place, for reseal_1: 0 entries (ns, key), 1 heads, 2 payloads (queue, id), 3 notes (queue,
-- id), of some MiB together. `bound` is the name that the bytes are sealed for.
CREATE FUNCTION corewire.sealed_1(grp int4, what int2, after_a bytea, after_b bytea, most int4)
RETURNS TABLE (a bytea, b bytea, bytes bytea, bound bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    first_a bytea := coalesce(after_a, '');
    first_b bytea := coalesce(after_b, '');
    page refcursor;
    weight int8 := 0;
BEGIN
    CASE what
    WHEN 0 THEN
        OPEN page FOR SELECT e.ns, e.key, e.bytes, e.key FROM corewire.entries e
            WHERE e.grp = sealed_1.grp AND (e.ns, e.key) > (first_a, first_b) AND e.sealed
            ORDER BY e.ns, e.key LIMIT most;
    WHEN 1 THEN
        OPEN page FOR SELECT w.queue, w.id, w.head, w.id FROM corewire.work w
            WHERE w.grp = sealed_1.grp AND (w.queue, w.id) > (first_a, first_b) AND w.sealed AND w.head <> ''
            ORDER BY w.queue, w.id LIMIT most;
    WHEN 2 THEN
        OPEN page FOR SELECT w.queue, w.id, w.payload, w.id FROM corewire.work w
            WHERE w.grp = sealed_1.grp AND (w.queue, w.id) > (first_a, first_b) AND w.sealed
            ORDER BY w.queue, w.id LIMIT most;
    ELSE
        OPEN page FOR SELECT d.queue, d.id, d.note, coalesce(d.noted_for, d.id) FROM corewire.done d
            WHERE d.grp = sealed_1.grp AND (d.queue, d.id) > (first_a, first_b) AND d.note <> ''
            ORDER BY d.queue, d.id LIMIT most;
    END CASE;
    WHILE weight < 4194304 LOOP
        FETCH page INTO a, b, bytes, bound;
        EXIT WHEN NOT FOUND;
        RETURN NEXT;
        weight := weight + length(bytes);
    END LOOP;
    CLOSE page;
END
$$;

-- Replaces sealed bytes that are still the former ones: 0 an entry (ns, key), 1 a head, 2 a payload of an item
-- (queue, id), 3 a note (queue, id).
CREATE FUNCTION corewire.reseal_1(grp int4, what int2, a bytea, b bytea, former bytea, bytes bytea)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    CASE what
    WHEN 0 THEN
        UPDATE corewire.entries e SET bytes = reseal_1.bytes
        WHERE e.grp = reseal_1.grp AND e.ns = a AND e.key = b AND e.sealed AND e.bytes = former;
    WHEN 1 THEN
        UPDATE corewire.work w SET head = reseal_1.bytes
        WHERE w.grp = reseal_1.grp AND w.queue = a AND w.id = b AND w.sealed AND w.head = former;
    WHEN 2 THEN
        UPDATE corewire.work w SET payload = reseal_1.bytes
        WHERE w.grp = reseal_1.grp AND w.queue = a AND w.id = b AND w.sealed AND w.payload = former;
    ELSE
        UPDATE corewire.done d SET note = reseal_1.bytes
        WHERE d.grp = reseal_1.grp AND d.queue = a AND d.id = b AND d.note = former;
    END CASE;
    RETURN corewire.answer_1(CASE WHEN FOUND THEN '[true]' ELSE '[false]' END);
END
$$;

-- MARK: Rights

-- Lets a role call the functions of runners, and nothing else.
CREATE FUNCTION corewire.grant_1(role text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    place oid := (SELECT c.relnamespace FROM pg_catalog.pg_class c WHERE c.oid = 'corewire.meta'::regclass);
    name text;
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA %s TO %I', place::regnamespace, role);
    FOR name IN
        SELECT p.oid::regprocedure FROM pg_catalog.pg_proc p WHERE p.pronamespace = place AND p.prosecdef
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', name, role);
    END LOOP;
END
$$;

DO $f$
DECLARE
    place oid := (SELECT c.relnamespace FROM pg_catalog.pg_class c WHERE c.oid = 'corewire.meta'::regclass);
BEGIN
    EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA %s FROM PUBLIC', place::regnamespace);
END
$f$;
