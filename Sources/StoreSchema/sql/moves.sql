-- Changes of waiting items by persons and services: other lanes, earlier times, pauses, whole queues removed;
-- and the removal of what is past its time.

-- Moves an item to the end of another lane.
CREATE FUNCTION corewire.move_1(grp int4, at int8, queue bytea, id bytea, lane bytea)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    item record;
    former corewire.lanes;
BEGIN
    item := corewire.find_to_move_1(grp, queue, id, lane);
    IF item.place IS NULL THEN RETURN corewire.answer_1('["none"]'); END IF;
    SELECT l.* INTO former FROM corewire.lanes l WHERE l.id = item.lane_id;
    IF former.head = item.place AND former.owner IS NOT NULL THEN RETURN corewire.answer_1('["claimed"]'); END IF;
    IF former.lane = move_1.lane THEN RETURN corewire.answer_1('["same"]'); END IF;
    PERFORM corewire.put_last_1(former, item.place, lane, corewire.now_1(at));
    PERFORM corewire.shrink_1(former.id, former.waiting, former.head = item.place);
    RETURN corewire.answer_1(concat('["moved",', corewire.base64_1(former.lane), ']'));
END
$$;

-- As find_1, and also locks the lane that the item is to be moved to, in the order of their names.
CREATE FUNCTION corewire.find_to_move_1(grp int4, queue bytea, id bytea, lane bytea, OUT place int8, OUT lane_id int8)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    seen int8;
BEGIN
    LOOP
        SELECT w.position, w.lane_id INTO place, lane_id FROM corewire.work w
        WHERE w.grp = find_to_move_1.grp AND w.queue = find_to_move_1.queue AND w.id = find_to_move_1.id;
        IF place IS NULL OR lane_id = seen THEN RETURN; END IF;
        seen := lane_id;
        PERFORM FROM corewire.lanes l
        WHERE l.grp = find_to_move_1.grp AND l.queue = find_to_move_1.queue
            AND l.lane IN (find_to_move_1.lane, (SELECT o.lane FROM corewire.lanes o WHERE o.id = seen))
        ORDER BY l.lane FOR UPDATE;
    END LOOP;
END
$$;

-- Gives an item of a locked lane the last place of another lane. Only the first of a lane waits for an event; behind
-- it, the item waits for its turn.
CREATE FUNCTION corewire.put_last_1(former corewire.lanes, place int8, lane bytea, moment int8) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    was_first bool := former.head = place;
    item corewire.work;
    new record;
BEGIN
    SELECT w.* INTO item FROM corewire.work w
    WHERE w.grp = former.grp AND w.queue = former.queue AND w.position = place;
    IF was_first THEN
        item.ready := former.ready;
        item.attempts := former.attempts;
        item.reason := former.reason;
    END IF;
    INSERT INTO corewire.lanes AS l (grp, queue, lane, waiting, head, kind, ready, attempts, reason, awaits, lost)
    VALUES (former.grp, former.queue, put_last_1.lane, 1, nextval('corewire.positions'), item.kind, item.ready,
        item.attempts, item.reason, CASE WHEN was_first THEN former.awaits END, was_first AND former.lost)
    ON CONFLICT (grp, queue, lane) DO UPDATE SET waiting = l.waiting + 1
    RETURNING l.id, l.head, l.waiting INTO new;
    UPDATE corewire.work w
    SET lane_id = new.id, position = CASE WHEN new.waiting = 1 THEN new.head ELSE nextval('corewire.positions') END,
        ready = CASE WHEN new.waiting > 1 AND was_first AND former.awaits IS NOT NULL THEN moment ELSE item.ready END,
        attempts = item.attempts, reason = item.reason
    WHERE w.grp = former.grp AND w.queue = former.queue AND w.position = place;
END
$$;

-- Makes delayed items due now: 0 one by its id, 1 the first ones that await an event, 2 all first ones but those.
CREATE FUNCTION corewire.expedite_1(grp int4, at int8, queue bytea, which int2, name bytea)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
    ids int8[];
    n int8;
BEGIN
    IF which = 0 THEN
        RETURN corewire.answer_1(concat('[', corewire.expedite_item_1(grp, moment, queue, name), ']'));
    END IF;
    SELECT array_agg(h.id) INTO ids FROM (
        SELECT l.id FROM corewire.lanes l
        WHERE l.grp = expedite_1.grp AND l.queue = expedite_1.queue AND l.owner IS NULL AND l.ready > moment
            AND CASE which WHEN 1 THEN l.awaits = name ELSE l.awaits IS DISTINCT FROM name END
        ORDER BY l.lane FOR UPDATE
    ) h;
    UPDATE corewire.lanes l SET ready = moment, awaits = NULL WHERE l.id = ANY (ids);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN corewire.answer_1(concat('[', n, ']'));
END
$$;

CREATE FUNCTION corewire.expedite_item_1(grp int4, moment int8, queue bytea, id bytea) RETURNS int8
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    item record := corewire.find_1(grp, queue, id);
    n int8;
    is_first bool;
BEGIN
    UPDATE corewire.lanes l SET ready = moment, awaits = NULL
    WHERE l.id = item.lane_id AND l.head = item.place AND l.owner IS NULL AND l.ready > moment;
    GET DIAGNOSTICS n = ROW_COUNT;
    UPDATE corewire.work w SET ready = moment
    WHERE w.grp = expedite_item_1.grp AND w.queue = expedite_item_1.queue AND w.position = item.place
        AND w.ready > moment
        AND NOT EXISTS (SELECT FROM corewire.lanes l WHERE l.id = item.lane_id AND l.head = item.place);
    IF FOUND THEN n := n + 1; END IF;
    RETURN n;
END
$$;

-- Pauses or resumes a lane, or a queue (the lane ''). Pauses of runners are apart from others, and from each other.
CREATE FUNCTION corewire.pause_1(grp int4, queue bytea, lane bytea, paused bool, runner int8)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF paused THEN
        INSERT INTO corewire.pauses (grp, queue, lane, runner)
        VALUES (pause_1.grp, pause_1.queue, pause_1.lane, coalesce(pause_1.runner, 0)) ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM corewire.pauses p
        WHERE p.grp = pause_1.grp AND p.queue = pause_1.queue AND p.lane = pause_1.lane
            AND p.runner = coalesce(pause_1.runner, 0);
    END IF;
    RETURN corewire.answer_1(CASE WHEN FOUND THEN '[true]' ELSE '[false]' END);
END
$$;

-- Removes all data of the queues whose names have a prefix.
CREATE FUNCTION corewire.forget_1(grp int4, prefix bytea)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    past bytea := corewire.end_1(prefix);
    ids int8[];
    items int8;
    ended int8;
BEGIN
    PERFORM FROM corewire.sums s WHERE s.grp = forget_1.grp AND s.queue >= prefix AND s.queue < past
    ORDER BY s.queue, s.shard FOR UPDATE;
    SELECT array_agg(h.id) INTO ids FROM (
        SELECT l.id FROM corewire.lanes l WHERE l.grp = forget_1.grp AND l.queue >= prefix AND l.queue < past
        ORDER BY l.queue, l.lane FOR UPDATE
    ) h;
    DELETE FROM corewire.work w WHERE w.lane_id = ANY (ids);
    GET DIAGNOSTICS items = ROW_COUNT;
    DELETE FROM corewire.lanes l WHERE l.id = ANY (ids);
    DELETE FROM corewire.sums s WHERE s.grp = forget_1.grp AND s.queue >= prefix AND s.queue < past;
    -- Those of runners stay: one of them may be removing what the queue has.
    DELETE FROM corewire.pauses p
    WHERE p.grp = forget_1.grp AND p.queue >= prefix AND p.queue < past AND p.runner = 0;
    DELETE FROM corewire.done d WHERE d.grp = forget_1.grp AND d.queue >= prefix AND d.queue < past;
    GET DIAGNOSTICS ended = ROW_COUNT;
    RETURN corewire.answer_1(concat('[', items, ',', ended, ']'));
END
$$;

CREATE FUNCTION corewire.forget_ended_1(grp int4, queue bytea)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    n int8;
BEGIN
    DELETE FROM corewire.done d WHERE d.grp = forget_ended_1.grp AND d.queue = forget_ended_1.queue;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN corewire.answer_1(concat('[', n, ']'));
END
$$;

-- MARK: Upkeep

-- Deletes expired entries, and ended ids past their time, up to a number of each; returns the number of entries.
-- Returns at once where another transaction sweeps.
CREATE FUNCTION corewire.sweep_1(grp int4, at int8, history int8, most int4)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
    spaces bytea[];
    keys bytea[];
BEGIN
    IF NOT pg_try_advisory_xact_lock(corewire.lock_1(concat('sweep ', grp))) THEN
        RETURN corewire.answer_1('[0]');
    END IF;
    PERFORM corewire.forget_done_1(grp, moment, most);
    -- Most sweeps find nothing; they do not wait for writers.
    IF EXISTS (SELECT FROM corewire.entries e WHERE e.grp = sweep_1.grp AND e.expires <= moment) THEN
        PERFORM corewire.open_1(grp);
        SELECT array_agg(o.ns), array_agg(o.key) INTO spaces, keys FROM (
            SELECT e.ns, e.key FROM corewire.entries e WHERE e.grp = sweep_1.grp AND e.expires <= moment
            ORDER BY e.expires LIMIT most
        ) o;
        PERFORM corewire.delete_all_1(grp, spaces, keys, array_fill(2::int2, ARRAY[cardinality(keys)]), history)
        WHERE keys IS NOT NULL;
    END IF;
    RETURN corewire.answer_1(concat('[', coalesce(cardinality(keys), 0), ']'));
END
$$;

-- Deletes the whole history of changes, and ended ids past their time; returns the number of both.
CREATE FUNCTION corewire.scrub_1(grp int4)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    last int8 := corewire.open_1(grp);
    moment int8 := corewire.now_1(NULL);
    changes int8;
    ended int8;
BEGIN
    DELETE FROM corewire.changes c WHERE c.grp = scrub_1.grp;
    GET DIAGNOSTICS changes = ROW_COUNT;
    UPDATE corewire.heads h SET trimmed = last WHERE h.grp = scrub_1.grp;
    DELETE FROM corewire.done d WHERE d.grp = scrub_1.grp AND d.until <= moment;
    GET DIAGNOSTICS ended = ROW_COUNT;
    RETURN corewire.answer_1(concat('[', changes + ended, ']'));
END
$$;
