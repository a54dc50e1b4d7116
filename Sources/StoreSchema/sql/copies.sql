-- Export and import of a group, each in one transaction of several calls.
--
-- The first call keeps a token until the end of the transaction, and the others check it: after a broken connection,
-- none of them is carried out in another transaction.
--
-- Times of a copy are those of the clock, without what a group adds to it.

CREATE FUNCTION corewire.check_copy_1(token text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF current_setting('corewire_op.copy', true) IS DISTINCT FROM token THEN
        RAISE 'the connection to the server was lost' USING ERRCODE = 'CW003';
    END IF;
END
$$;

-- MARK: Export

-- Begins an export in a transaction with a snapshot; no row where there is no such group.
CREATE FUNCTION corewire.export_begin_1(token text, name bytea) RETURNS TABLE (grp int4, key_check bytea, version int8)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM set_config('corewire_op.copy', token, true);
    RETURN QUERY SELECT g.grp, g.key_check, h.version FROM corewire.groups g JOIN corewire.heads h ON h.grp = g.grp
        WHERE g.name = export_begin_1.name;
END
$$;

-- Rows after a place, of some MiB together.
CREATE FUNCTION corewire.export_entries_1(token text, grp int4, after_ns bytea, after_key bytea)
RETURNS TABLE (ns bytea, key bytea, version int8, type bytea, size int8, modified int8, expires int8, sealed bool,
    bytes bytea)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    ahead int8 := corewire.ahead_1();
    weight int8 := 0;
BEGIN
    PERFORM corewire.check_copy_1(token);
    FOR ns, key, version, type, size, modified, expires, sealed, bytes IN
        SELECT e.ns, e.key, e.version, e.type, e.size, e.modified - ahead, e.expires - ahead, e.sealed, e.bytes
        FROM corewire.entries e
        WHERE e.grp = export_entries_1.grp AND (e.ns, e.key) > (after_ns, after_key)
        ORDER BY e.ns, e.key LIMIT 500
    LOOP
        RETURN NEXT;
        weight := weight + length(bytes);
        EXIT WHEN weight >= 4194304;
    END LOOP;
END
$$;

-- An item that is claimed waits again, in its place, as after the end of its runner.
CREATE FUNCTION corewire.export_items_1(token text, grp int4, after_queue bytea, after_position int8)
RETURNS TABLE (queue bytea, "position" int8, id bytea, lane bytea, kind bytea, added int8, due int8, attempts int4,
    reason bytea, awaits bytea, size int8, sealed bool, head bytea, payload bytea)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    ahead int8 := corewire.ahead_1();
    weight int8 := 0;
BEGIN
    PERFORM corewire.check_copy_1(token);
    FOR queue, "position", id, lane, kind, added, due, attempts, reason, awaits, size, sealed, head, payload IN
        SELECT i.queue, i.position, i.id, i.lane, i.kind, i.added - ahead,
            CASE WHEN i.claimed THEN i.added ELSE i.due END - ahead, i.attempts, i.reason, i.awaits, i.size,
            i.sealed, i.head, i.payload
        FROM corewire.items i
        WHERE i.grp = export_items_1.grp AND (i.queue, i.position) > (after_queue, after_position)
        ORDER BY i.queue, i.position LIMIT 500
    LOOP
        RETURN NEXT;
        weight := weight + length(head) + length(payload);
        EXIT WHEN weight >= 4194304;
    END LOOP;
END
$$;

CREATE FUNCTION corewire.export_ended_1(token text, grp int4, after_queue bytea, after_id bytea)
RETURNS TABLE (queue bytea, id bytea, ended int8, until int8, note bytea, noted_for bytea)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    ahead int8 := corewire.ahead_1();
    weight int8 := 0;
BEGIN
    PERFORM corewire.check_copy_1(token);
    FOR queue, id, ended, until, note, noted_for IN
        SELECT d.queue, d.id, d.ended - ahead, d.until - ahead, d.note, d.noted_for FROM corewire.done d
        WHERE d.grp = export_ended_1.grp AND (d.queue, d.id) > (after_queue, after_id)
        ORDER BY d.queue, d.id LIMIT 500
    LOOP
        RETURN NEXT;
        weight := weight + length(note);
        EXIT WHEN weight >= 4194304;
    END LOOP;
END
$$;

-- The pauses that outlive their runners.
CREATE FUNCTION corewire.export_pauses_1(token text, grp int4) RETURNS TABLE (queue bytea, lane bytea)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM corewire.check_copy_1(token);
    RETURN QUERY SELECT p.queue, p.lane FROM corewire.pauses p
        WHERE p.grp = export_pauses_1.grp AND p.runner = 0 ORDER BY p.queue, p.lane;
END
$$;

-- MARK: Import

-- Begins an import into a group without runners and data; makes the group if there is none. No runner joins until the
-- end of the transaction. Status: ready, key (the group has another), runner (with its machine), data.
CREATE FUNCTION corewire.import_begin_1(token text, name bytea, key_check bytea)
RETURNS TABLE (status text, grp int4, version int8, machine bytea)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    home corewire.groups;
BEGIN
    PERFORM corewire.timeline_1();
    INSERT INTO corewire.groups (name, key_check) VALUES (import_begin_1.name, import_begin_1.key_check)
    ON CONFLICT DO NOTHING;
    SELECT g.* INTO home FROM corewire.groups g WHERE g.name = import_begin_1.name FOR UPDATE;
    INSERT INTO corewire.heads (grp) VALUES (home.grp) ON CONFLICT DO NOTHING;
    SELECT r.machine INTO machine FROM corewire.runners r WHERE r.grp = home.grp ORDER BY r.id LIMIT 1;
    status := CASE
        WHEN home.key_check <> import_begin_1.key_check THEN 'key'
        WHEN FOUND THEN 'runner'
        WHEN EXISTS (SELECT FROM corewire.entries e WHERE e.grp = home.grp)
            OR EXISTS (SELECT FROM corewire.work w WHERE w.grp = home.grp)
            OR EXISTS (SELECT FROM corewire.done d WHERE d.grp = home.grp) THEN 'data'
        ELSE 'ready' END;
    IF status = 'ready' THEN PERFORM set_config('corewire_op.copy', token, true); END IF;
    RETURN QUERY SELECT status, h.grp, h.version, machine FROM corewire.heads h WHERE h.grp = home.grp;
END
$$;

CREATE FUNCTION corewire.import_entries_1(token text, grp int4, spaces bytea[], keys bytea[], versions int8[],
    types bytea[], sizes int8[], times int8[], ends int8[], seals bool[], contents bytea[])
RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    ahead int8 := corewire.ahead_1();
BEGIN
    PERFORM corewire.check_copy_1(token);
    INSERT INTO corewire.entries (grp, ns, key, version, type, size, modified, expires, sealed, bytes)
    SELECT import_entries_1.grp, e.ns, e.key, e.version, e.type, e.size, e.modified + ahead, e.expires + ahead,
        e.sealed, e.bytes
    FROM unnest(spaces, keys, versions, types, sizes, times, ends, seals, contents)
        AS e (ns, key, version, type, size, modified, expires, sealed, bytes);
END
$$;

-- Puts items at the end of their lanes, in their order.
CREATE FUNCTION corewire.import_items_1(token text, grp int4, queues bytea[], ids bytea[], lanes bytea[],
    kinds bytea[], times int8[], dues int8[], tries int8[], reasons bytea[], events bytea[], sizes int8[],
    seals bool[], heads bytea[], payloads bytea[])
RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    ahead int8 := corewire.ahead_1();
BEGIN
    PERFORM corewire.check_copy_1(token);
    WITH items AS MATERIALIZED (
        SELECT i.*, nextval('corewire.positions') AS place FROM (
            SELECT u.* FROM unnest(queues, ids, lanes, kinds, times, dues, tries, reasons, events, sizes, seals, heads,
                payloads) WITH ORDINALITY
                AS u (queue, id, lane, kind, added, due, attempts, reason, awaits, size, sealed, head, payload, number)
            ORDER BY u.number
        ) i
    ), made AS (
        INSERT INTO corewire.lanes AS l (grp, queue, lane, waiting, head, kind, ready, attempts, reason, awaits)
        SELECT DISTINCT ON (i.queue, i.lane) import_items_1.grp, i.queue, i.lane,
            count(*) OVER (PARTITION BY i.queue, i.lane)::int4, i.place, i.kind, i.due + ahead, i.attempts::int4,
            i.reason, i.awaits
        FROM items i ORDER BY i.queue, i.lane, i.place
        ON CONFLICT (grp, queue, lane) DO UPDATE SET waiting = l.waiting + excluded.waiting
        RETURNING l.id, l.queue, l.lane
    )
    INSERT INTO corewire.work (position, lane_id, ready, added, size, grp, attempts, sealed, queue, id, kind, reason,
        head, payload)
    SELECT i.place, m.id, i.due + ahead, i.added + ahead, i.size, import_items_1.grp, i.attempts::int4, i.sealed,
        i.queue, i.id, i.kind, i.reason, i.head, i.payload
    FROM items i JOIN made m ON m.queue = i.queue AND m.lane = i.lane;
END
$$;

CREATE FUNCTION corewire.import_ended_1(token text, grp int4, queues bytea[], ids bytea[], times int8[], untils int8[],
    notes bytea[])
RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    ahead int8 := corewire.ahead_1();
BEGIN
    PERFORM corewire.check_copy_1(token);
    INSERT INTO corewire.done (grp, queue, id, ended, until, note)
    SELECT import_ended_1.grp, d.queue, d.id, d.ended + ahead, d.until + ahead, d.note
    FROM unnest(queues, ids, times, untils, notes) AS d (queue, id, ended, until, note);
END
$$;

CREATE FUNCTION corewire.import_pauses_1(token text, grp int4, queues bytea[], lanes bytea[])
RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM corewire.check_copy_1(token);
    INSERT INTO corewire.pauses (grp, queue, lane)
    SELECT import_pauses_1.grp, p.* FROM unnest(queues, lanes) AS p ON CONFLICT DO NOTHING;
END
$$;

-- Adds the sums of what was written, and the last version; those who have read up to an earlier one are told of a gap.
CREATE FUNCTION corewire.import_end_1(token text, grp int4, version int8)
RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM corewire.check_copy_1(token);
    INSERT INTO corewire.usage (grp, ns, entries, bytes)
    SELECT import_end_1.grp, e.ns, count(*), sum(e.size + length(e.key)) FROM corewire.entries e
    WHERE e.grp = import_end_1.grp GROUP BY e.ns;
    DELETE FROM corewire.sums s WHERE s.grp = import_end_1.grp;
    INSERT INTO corewire.sums (grp, queue, shard, entries, bytes)
    SELECT import_end_1.grp, w.queue, n, CASE n WHEN 0 THEN w.entries ELSE 0 END,
        CASE n WHEN 0 THEN w.bytes ELSE 0 END
    FROM (
        SELECT i.queue, count(*) AS entries, sum(i.size + length(i.id))::int8 AS bytes FROM corewire.work i
        WHERE i.grp = import_end_1.grp GROUP BY i.queue
    ) w, generate_series(0, 15) AS n;
    DELETE FROM corewire.changes c WHERE c.grp = import_end_1.grp;
    UPDATE corewire.heads h
    SET version = import_end_1.version, trimmed = import_end_1.version,
        bytes = (SELECT coalesce(sum(u.bytes), 0) FROM corewire.usage u WHERE u.grp = import_end_1.grp)
    WHERE h.grp = import_end_1.grp;
END
$$;
