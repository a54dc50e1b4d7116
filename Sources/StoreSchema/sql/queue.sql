-- Additions to queues, and changes of their items.
--
-- Locks of a queue are taken in the order: sums (by shard), lanes (by name), items. A transaction that would have to
-- break this order fails with 40001, and its client sends it again.

-- Whether an id is queued, or has ended recently.
CREATE FUNCTION corewire.knows_1(grp int4, queue bytea, id bytea, moment int8) RETURNS bool
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    RETURN EXISTS (SELECT FROM corewire.work w WHERE w.grp = knows_1.grp AND w.queue = knows_1.queue
        AND w.id = knows_1.id)
        OR corewire.has_ended_1(grp, queue, id, moment);
END
$$;

CREATE FUNCTION corewire.has_ended_1(grp int4, queue bytea, id bytea, moment int8) RETURNS bool
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    RETURN EXISTS (
        SELECT FROM corewire.done d
        WHERE d.grp = has_ended_1.grp AND d.queue = has_ended_1.queue AND d.id = has_ended_1.id AND d.until > moment
    );
END
$$;

-- Remembers the id of an ended item with a note, and deletes some that are past their time, more than are added.
CREATE FUNCTION corewire.remember_1(grp int4, queue bytea, id bytea, moment int8, kept int8, note bytea,
    noted_for bytea)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    PERFORM corewire.forget_done_1(grp, moment, 8);
    IF coalesce(kept, 0) <= 0 THEN RETURN; END IF;
    INSERT INTO corewire.done (grp, queue, id, until, ended, note, noted_for)
    VALUES (remember_1.grp, remember_1.queue, remember_1.id, moment + kept, moment, coalesce(remember_1.note, ''),
        remember_1.noted_for)
    ON CONFLICT (grp, queue, id) DO UPDATE
    SET until = excluded.until, ended = excluded.ended, note = excluded.note, noted_for = excluded.noted_for;
END
$$;

-- Deletes ended ids past their time, up to a number; none that another transaction deletes.
CREATE FUNCTION corewire.forget_done_1(grp int4, moment int8, most int4) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM corewire.done d WHERE d.grp = forget_done_1.grp AND d.until <= moment LIMIT 1;
    IF NOT FOUND THEN RETURN; END IF;
    DELETE FROM corewire.done d WHERE d.ctid = ANY (ARRAY(
        SELECT o.ctid FROM corewire.done o WHERE o.grp = forget_done_1.grp AND o.until <= moment
        ORDER BY o.until LIMIT most FOR UPDATE SKIP LOCKED
    ));
END
$$;

-- MARK: Sums

-- Changes the sums of a queue in the shard of a runner; creates them where there are none.
CREATE FUNCTION corewire.grow_1(grp int4, queue bytea, runner int8, entries int8, bytes int8) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    LOOP
        UPDATE corewire.sums s SET entries = s.entries + grow_1.entries, bytes = s.bytes + grow_1.bytes
        WHERE s.grp = grow_1.grp AND s.queue = grow_1.queue AND s.shard = grow_1.runner & 15;
        EXIT WHEN FOUND;
        PERFORM corewire.make_sums_1(grp, queue);
    END LOOP;
END
$$;

-- Locks what grow_1 will change, before lanes are locked.
CREATE FUNCTION corewire.hold_1(grp int4, queue bytea, runner int8) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM corewire.sums s
    WHERE s.grp = hold_1.grp AND s.queue = hold_1.queue AND s.shard = hold_1.runner & 15 FOR UPDATE;
END
$$;

CREATE FUNCTION corewire.make_sums_1(grp int4, queue bytea) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    INSERT INTO corewire.sums (grp, queue, shard)
    SELECT make_sums_1.grp, make_sums_1.queue, n FROM generate_series(0, 15) AS n
    ON CONFLICT DO NOTHING;
END
$$;

-- Counts an addition, before its lane is locked; returns whether all shards are locked, so that sums are exact.
--
-- An addition that locks one shard does not see those that others have under way, of which there are 15 at most. So
-- it is allowed only where 5 % of the limit are free, and where its transaction adds a sixteenth of that at most.
CREATE FUNCTION corewire.enter_1(grp int4, queue bytea, runner int8, entries int8, bytes int8, weight int8) RETURNS bool
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    -- What the transaction has added to the queue: the queue, exact or not, the sums it found, what it has added.
    state text[] := string_to_array(current_setting('corewire_op.room', true), ' ');
    place text := concat(grp, ':', encode(queue, 'hex'));
    is_new bool := state[1] IS DISTINCT FROM place;
    is_exact bool := NOT is_new AND state[2] = 'exact';
    held int8[] := CASE WHEN is_new THEN NULL ELSE state[3:4]::int8[] END;
    own int8[] := CASE WHEN is_new THEN ARRAY[1, weight] ELSE ARRAY[state[5]::int8 + 1, state[6]::int8 + weight] END;
BEGIN
    IF entries IS NULL AND bytes IS NULL THEN
        PERFORM corewire.grow_1(grp, queue, runner, 1, weight);
        RETURN false;
    END IF;
    IF is_new AND (SELECT u.last_value FROM corewire.exact_until u) > corewire.now_1(NULL) THEN
        PERFORM corewire.make_sums_1(grp, queue);
        PERFORM FROM corewire.sums s WHERE s.grp = enter_1.grp AND s.queue = enter_1.queue ORDER BY s.shard FOR UPDATE;
        is_exact := true;
    END IF;
    PERFORM corewire.grow_1(grp, queue, runner, 1, weight);
    IF held IS NULL THEN held := corewire.held_1(grp, queue); END IF;
    IF NOT is_exact AND NOT (corewire.is_far_1(held[1] + own[1], own[1], entries)
        AND corewire.is_far_1(held[2] + own[2], own[2], bytes)) THEN
        PERFORM corewire.lock_sums_1(grp, queue);
        is_exact := true;
    END IF;
    PERFORM set_config('corewire_op.room',
        array_to_string(ARRAY[place, CASE WHEN is_exact THEN 'exact' ELSE 'far' END] || held::text[] || own::text[],
            ' '), true);
    RETURN is_exact;
END
$$;

CREATE FUNCTION corewire.held_1(grp int4, queue bytea) RETURNS int8[] LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    RETURN (SELECT ARRAY[coalesce(sum(s.entries), 0), coalesce(sum(s.bytes), 0)]::int8[] FROM corewire.sums s
        WHERE s.grp = held_1.grp AND s.queue = held_1.queue);
END
$$;

CREATE FUNCTION corewire.is_far_1(held int8, own int8, most int8) RETURNS bool LANGUAGE sql IMMUTABLE AS $$
    SELECT most IS NULL OR (held <= most - most / 20 AND own <= most / 320)
$$;

-- Locks all sums of a queue after a lane or a shard was locked. To wait for them could be a deadlock, so where one is
-- not free the transaction begins again, and all do for a while with the locks of all shards.
CREATE FUNCTION corewire.lock_sums_1(grp int4, queue bytea) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    IF (SELECT count(*) FROM (
        SELECT FROM corewire.sums s WHERE s.grp = lock_sums_1.grp AND s.queue = lock_sums_1.queue
        ORDER BY s.shard FOR UPDATE SKIP LOCKED
    ) locked) = 16 THEN RETURN; END IF;
    PERFORM setval('corewire.exact_until', corewire.now_1(NULL) + 2000);
    PERFORM corewire.again_1();
END
$$;

-- Fails so that the client sends the transaction again.
CREATE FUNCTION corewire.again_1() RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RAISE 'changed by another transaction' USING ERRCODE = '40001';
END
$$;

-- MARK: Adding

-- Puts an item at the end of its lane.
CREATE FUNCTION corewire.insert_1(grp int4, queue bytea, id bytea, lane bytea, kind bytea, moment int8, delay int8,
    sealed bool, head bytea, payload bytea, size int8, OUT lane_id int8, OUT place int8)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    waiting int4;
BEGIN
    INSERT INTO corewire.lanes AS l (grp, queue, lane, waiting, head, kind, ready)
    VALUES (insert_1.grp, insert_1.queue, insert_1.lane, 1, nextval('corewire.positions'), insert_1.kind,
        moment + delay)
    ON CONFLICT (grp, queue, lane) DO UPDATE SET waiting = l.waiting + 1
    RETURNING l.id, l.head, l.waiting INTO lane_id, place, waiting;
    -- The number is drawn once the lane is locked, so that numbers have the order of the lane.
    IF waiting > 1 THEN place := nextval('corewire.positions'); END IF;
    INSERT INTO corewire.work (grp, queue, position, lane_id, id, kind, ready, added, size, sealed, head, payload)
    VALUES (insert_1.grp, insert_1.queue, place, insert_1.lane_id, insert_1.id, insert_1.kind, moment + delay, moment,
        insert_1.size, insert_1.sealed, insert_1.head, insert_1.payload)
    ON CONFLICT (grp, queue, id) DO NOTHING;
    -- Another transaction has added the id meanwhile, and it may have ended already.
    IF NOT FOUND OR corewire.has_ended_1(grp, queue, id, moment) THEN PERFORM corewire.again_1(); END IF;
END
$$;

CREATE FUNCTION corewire.add_1(grp int4, runner int8, at int8, queue bytea, id bytea, lane bytea, kind bytea,
    delay int8, sealed bool, head bytea, payload bytea, entries int8, bytes int8, removes_oldest bool, replaces bool,
    leaves bool, note bytea, kept int8, weight int8)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    moment int8 := corewire.now_1(at);
    new record;
    is_exact bool;
    gone text[];
BEGIN
    IF corewire.knows_1(grp, queue, id, moment) THEN RETURN corewire.answer_1('["known"]'); END IF;
    IF weight > bytes THEN
        RETURN corewire.answer_1(concat('["full","size",', (corewire.held_1(grp, queue))[2] + weight, ']'));
    END IF;
    is_exact := corewire.enter_1(grp, queue, runner, entries, bytes, weight);
    IF NOT is_exact AND NOT replaces THEN
        PERFORM corewire.insert_1(grp, queue, id, lane, kind, moment, delay, sealed, head, payload,
            weight - length(id));
        RETURN corewire.answer_1('["added",[]]');
    END IF;
    BEGIN
        new := corewire.insert_1(grp, queue, id, lane, kind, moment, delay, sealed, head, payload, weight - length(id));
        IF replaces THEN
            gone := corewire.replace_1(grp, queue, runner, new.lane_id, new.place, kind, id, moment, leaves, note,
                kept);
        END IF;
        IF is_exact THEN
            gone := gone || corewire.make_room_1(grp, queue, runner, new.place, id, moment, entries, bytes,
                removes_oldest, leaves, note, kept);
        END IF;
    EXCEPTION WHEN SQLSTATE 'CW002' THEN
        -- Not added, and nothing removed for it.
        PERFORM corewire.grow_1(grp, queue, runner, -1, -weight);
        RETURN corewire.answer_1(SQLERRM);
    END;
    RETURN corewire.answer_1(concat('["added",[', array_to_string(gone, ','), ']]'));
END
$$;

-- Removes the unclaimed items of a kind that are in a lane before an added one.
CREATE FUNCTION corewire.replace_1(grp int4, queue bytea, runner int8, lane_id int8, place int8, kind bytea,
    added bytea, moment int8, leaves bool, note bytea, kept int8)
RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    old int8;
    gone text[];
BEGIN
    FOR old IN
        SELECT w.position FROM corewire.lanes l JOIN corewire.work w ON w.lane_id = l.id
        WHERE l.id = replace_1.lane_id AND w.position < place AND w.kind = replace_1.kind
            AND (l.owner IS NULL OR w.position <> l.head)
        ORDER BY w.position
    LOOP
        gone := gone || corewire.drop_1(grp, queue, runner, old, moment, leaves, note, added, kept);
    END LOOP;
    RETURN gone;
END
$$;

-- Removes the oldest unclaimed items until a queue is within its limits. Raises CW002 with the answer where that is not
-- possible.
CREATE FUNCTION corewire.make_room_1(grp int4, queue bytea, runner int8, place int8, added bytea, moment int8,
    entries int8, bytes int8, removes_oldest bool, leaves bool, note bytea, kept int8)
RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    held int8[];
    old int8;
    gone text[];
BEGIN
    LOOP
        held := corewire.held_1(grp, queue);
        EXIT WHEN (bytes IS NULL OR held[2] <= bytes) AND (entries IS NULL OR held[1] <= entries);
        IF removes_oldest THEN old := corewire.oldest_1(grp, queue, place); END IF;
        IF old IS NULL THEN
            RAISE '%', CASE WHEN held[2] > bytes THEN concat('["full","size",', held[2], ']')
                ELSE concat('["full","entries",', held[1], ']') END USING ERRCODE = 'CW002';
        END IF;
        gone := gone || corewire.drop_1(grp, queue, runner, old, moment, leaves, note, added, kept);
    END LOOP;
    RETURN gone;
END
$$;

-- The position of the oldest unclaimed item but one, whose lane is now locked.
CREATE FUNCTION corewire.oldest_1(grp int4, queue bytea, besides int8) RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    oldest int8;
BEGIN
    SELECT w.position INTO oldest FROM corewire.work w JOIN corewire.lanes l ON l.id = w.lane_id
    WHERE w.grp = oldest_1.grp AND w.queue = oldest_1.queue AND w.position <> besides
        AND (l.owner IS NULL OR l.head <> w.position)
    ORDER BY w.position LIMIT 1 FOR UPDATE OF l SKIP LOCKED;
    IF oldest IS NULL AND EXISTS (
        SELECT FROM corewire.work w JOIN corewire.lanes l ON l.id = w.lane_id
        WHERE w.grp = oldest_1.grp AND w.queue = oldest_1.queue AND w.position <> besides
            AND (l.owner IS NULL OR l.head <> w.position)
    ) THEN PERFORM corewire.again_1(); END IF;
    RETURN oldest;
END
$$;

-- MARK: Removing

-- Removes an item whose lane is locked, and describes it.
CREATE FUNCTION corewire.drop_1(grp int4, queue bytea, runner int8, place int8, moment int8, leaves bool, note bytea,
    noted_for bytea, kept int8)
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    item record;
    of_lane corewire.lanes;
    is_first bool;
BEGIN
    DELETE FROM corewire.work w WHERE w.grp = drop_1.grp AND w.queue = drop_1.queue AND w.position = place
    RETURNING w.lane_id, w.id, w.kind, w.head, w.sealed, w.attempts, w.added, w.size INTO item;
    SELECT l.* INTO of_lane FROM corewire.lanes l WHERE l.id = item.lane_id;
    is_first := of_lane.head = place;
    PERFORM corewire.shrink_1(of_lane.id, of_lane.waiting, is_first);
    PERFORM corewire.grow_1(grp, queue, runner, -1, -item.size - length(item.id));
    IF leaves THEN PERFORM corewire.remember_1(grp, queue, item.id, moment, kept, note, noted_for); END IF;
    RETURN concat('[', concat_ws(',', corewire.base64_1(item.id), corewire.base64_1(of_lane.lane),
        corewire.base64_1(item.kind), corewire.base64_1(item.head), to_json(item.sealed),
        CASE WHEN is_first THEN of_lane.attempts ELSE item.attempts END, item.added), ']');
END
$$;

-- Takes an item from the count of its lane. Where it was the first, the next one follows, and a claim is over.
CREATE FUNCTION corewire.shrink_1(lane_id int8, waiting int4, was_first bool) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    IF waiting = 1 THEN
        DELETE FROM corewire.lanes l WHERE l.id = shrink_1.lane_id;
    ELSIF was_first THEN
        PERFORM corewire.advance_1(ARRAY[lane_id]);
    ELSE
        UPDATE corewire.lanes l SET waiting = l.waiting - 1 WHERE l.id = shrink_1.lane_id;
    END IF;
END
$$;

-- Makes the next item of each lane its first.
CREATE FUNCTION corewire.advance_1(ids int8[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    UPDATE corewire.lanes l
    SET waiting = l.waiting - 1, head = next.position, kind = next.kind, ready = next.ready, attempts = next.attempts,
        reason = next.reason, awaits = NULL, lost = false, owner = NULL
    FROM unnest(ids) AS i (id), LATERAL (
        SELECT w.position, w.kind, w.ready, w.attempts, w.reason FROM corewire.work w
        WHERE w.lane_id = i.id ORDER BY w.position LIMIT 1
    ) next
    WHERE l.id = i.id;
END
$$;

-- Locks the lane of an item, and returns the item's position; NULL where there is no such item.
CREATE FUNCTION corewire.find_1(grp int4, queue bytea, id bytea, OUT place int8, OUT lane_id int8)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    seen int8;
BEGIN
    LOOP
        SELECT w.position, w.lane_id INTO place, lane_id FROM corewire.work w
        WHERE w.grp = find_1.grp AND w.queue = find_1.queue AND w.id = find_1.id;
        -- Found where it was when its lane was locked.
        IF place IS NULL OR lane_id = seen THEN RETURN; END IF;
        seen := lane_id;
        PERFORM FROM corewire.lanes l WHERE l.id = seen FOR UPDATE;
    END LOOP;
END
$$;

CREATE FUNCTION corewire.remove_1(grp int4, runner int8, at int8, queue bytea, id bytea, leaves bool, note bytea,
    kept int8)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place int8;
BEGIN
    PERFORM corewire.hold_1(grp, queue, runner);
    place := (corewire.find_1(grp, queue, id)).place;
    IF place IS NULL THEN RETURN corewire.answer_1('[]'); END IF;
    RETURN corewire.answer_1(concat('[',
        corewire.drop_1(grp, queue, runner, place, corewire.now_1(at), leaves, note, NULL, kept), ']'));
END
$$;
