-- Claims: ends, new ones, and longer leases.
--
-- A claim is held by the position of its item, its fence and its runner together: after a failover fences may repeat.

CREATE FUNCTION corewire.turn_1(grp int4, runner int8, op int8, at int8, queue bytea, positions int8[], fences int8[],
    ends int2[], notes bytea[], noted int8[], delays int8[], reasons bytea[], awaits bytea[], counts_attempt bool[],
    wished int4, named bytea[], kinds bytea[], lease int8, skips int8[])
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    moment int8 := corewire.now_1(at);
    is_held bool[] := '{}';
    claimed int4 := 0;
BEGIN
    IF cardinality(positions) > 0 THEN
        is_held := corewire.end_claims_1(grp, runner, moment, queue, positions, fences, ends, notes, noted, delays,
            reasons, awaits, counts_attempt);
    END IF;
    IF cardinality(named) > 0 THEN
        claimed := corewire.claim_named_1(grp, runner, op, moment, queue, named, kinds, lease, skips);
    END IF;
    IF wished > 0 THEN
        claimed := claimed + corewire.claim_due_1(grp, runner, op, moment, queue, wished, kinds, lease, skips);
    END IF;
    RETURN corewire.answer_1(concat('[', array_to_json(is_held), ',', claimed, ']'));
END
$$;

-- MARK: Ending

-- Ends claims; returns for each, in order, whether it was still held. Ends: 0 done, 1 later, 2 the lease is over, 3
-- not begun.
CREATE FUNCTION corewire.end_claims_1(grp int4, runner int8, moment int8, queue bytea, positions int8[], fences int8[],
    ends int2[], notes bytea[], noted int8[], delays int8[], reasons bytea[], awaits bytea[], counts_attempt bool[])
RETURNS bool[] LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    ids int8[];
    numbers int4[];
    waiting int4[];
BEGIN
    IF 0 = ANY (ends) THEN PERFORM corewire.hold_1(grp, queue, runner); END IF;
    SELECT array_agg(h.id), array_agg(h.number), array_agg(h.waiting) INTO ids, numbers, waiting FROM (
        SELECT DISTINCT ON (f.id) f.id, f.number, f.waiting FROM (
            SELECT l.id, l.waiting, e.number::int4
            FROM unnest(positions, fences) WITH ORDINALITY AS e (place, fence, number)
            JOIN corewire.lanes l ON l.owner = end_claims_1.runner AND l.fence = e.fence
            WHERE l.grp = end_claims_1.grp AND l.queue = end_claims_1.queue AND l.head = e.place
            ORDER BY l.lane FOR UPDATE OF l
        ) f ORDER BY f.id, f.number
    ) h;
    IF ids IS NULL THEN RETURN array_fill(false, ARRAY[cardinality(positions)]); END IF;
    IF 0 = ANY (ends) THEN
        PERFORM corewire.finish_1(grp, runner, moment, queue, positions, ends, notes, noted, ids, numbers, waiting);
    END IF;
    IF 0 <> ANY (ends) THEN
        PERFORM corewire.give_back_1(moment, ends, delays, reasons, awaits, counts_attempt, ids, numbers);
    END IF;
    IF cardinality(ids) = cardinality(positions) THEN RETURN array_fill(true, ARRAY[cardinality(ids)]); END IF;
    RETURN (SELECT array_agg(n = ANY (numbers) ORDER BY n) FROM generate_series(1, cardinality(positions)) AS n);
END
$$;

-- Frees the locked lanes whose items are not done.
CREATE FUNCTION corewire.give_back_1(moment int8, ends int2[], delays int8[], reasons bytea[], awaits bytea[],
    counts_attempt bool[], ids int8[], numbers int4[])
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    later CONSTANT int2 := 1;
    lease_over CONSTANT int2 := 2;
    not_begun CONSTANT int2 := 3;
BEGIN
    UPDATE corewire.lanes l
    SET owner = NULL,
        ready = CASE e.ending WHEN later THEN moment + delays[e.n] WHEN lease_over THEN moment ELSE l.former END,
        attempts = l.attempts
            - (e.ending = not_begun OR e.ending = later AND NOT coalesce(counts_attempt[e.n], true))::int4,
        reason = CASE e.ending WHEN later THEN reasons[e.n] ELSE l.reason END,
        awaits = CASE e.ending WHEN later THEN give_back_1.awaits[e.n] WHEN lease_over THEN NULL ELSE l.awaits END,
        lost = CASE e.ending WHEN later THEN false WHEN lease_over THEN true ELSE l.lost END
    FROM (SELECT h.id, h.n, ends[h.n] AS ending FROM unnest(ids, numbers) AS h (id, n)) e
    WHERE l.id = e.id AND e.ending <> 0;
END
$$;

-- Removes the items of locked lanes that are done, and remembers their ids.
CREATE FUNCTION corewire.finish_1(grp int4, runner int8, moment int8, queue bytea, positions int8[], ends int2[],
    notes bytea[], noted int8[], ids int8[], numbers int4[], waiting int4[])
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    gone int8;
    weight int8;
    others int8[];
BEGIN
    PERFORM corewire.forget_done_1(grp, moment, 8 * cardinality(ids));
    WITH gone AS (
        DELETE FROM corewire.work w USING unnest(numbers) AS h (n)
        WHERE ends[h.n] = 0 AND w.grp = finish_1.grp AND w.queue = finish_1.queue AND w.position = positions[h.n]
        RETURNING w.id, w.size, h.n
    ), kept AS (
        INSERT INTO corewire.done (grp, queue, id, until, ended, note)
        SELECT finish_1.grp, finish_1.queue, g.id, moment + noted[g.n], moment, coalesce(notes[g.n], '') FROM gone g
        WHERE noted[g.n] > 0
        ON CONFLICT (grp, queue, id) DO UPDATE
        SET until = excluded.until, ended = excluded.ended, note = excluded.note, noted_for = NULL
    ), empty AS (
        DELETE FROM corewire.lanes l USING unnest(ids, numbers, finish_1.waiting) AS h (id, n, waiting)
        WHERE l.id = h.id AND h.waiting = 1 AND ends[h.n] = 0
    )
    SELECT count(*), sum(g.size + length(g.id)) INTO gone, weight FROM gone g;
    IF gone = 0 THEN RETURN; END IF;
    PERFORM corewire.grow_1(grp, queue, runner, -gone, -weight);
    IF 1 < ANY (waiting) THEN
        SELECT array_agg(h.id) INTO others FROM unnest(ids, numbers, waiting) AS h (id, n, waiting)
        WHERE ends[h.n] = 0 AND h.waiting > 1;
        PERFORM corewire.advance_1(others);
    END IF;
END
$$;

-- MARK: Claiming

-- Claims items by their ids, the first of their lanes only; returns their number.
CREATE FUNCTION corewire.claim_named_1(grp int4, runner int8, op int8, moment int8, queue bytea, named bytea[],
    kinds bytea[], lease int8, skips int8[])
RETURNS int4 LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    ids int8[];
    fences int8[];
BEGIN
    WITH items AS MATERIALIZED (
        SELECT w.lane_id, w.position FROM (SELECT DISTINCT n.id FROM unnest(named) AS n (id)) n
        JOIN corewire.work w ON w.grp = claim_named_1.grp AND w.queue = claim_named_1.queue AND w.id = n.id
    )
    SELECT array_agg(p.id), array_agg(nextval('corewire.fences')) INTO ids, fences FROM (
        SELECT l.id FROM items i JOIN corewire.lanes l ON l.id = i.lane_id AND l.head = i.position
        WHERE l.owner IS NULL AND l.ready <= moment AND (kinds IS NULL OR l.kind = ANY (kinds))
            AND (skips IS NULL OR l.head <> ALL (skips))
            AND NOT EXISTS (
                SELECT FROM corewire.pauses p
                WHERE p.grp = claim_named_1.grp AND p.queue = claim_named_1.queue AND p.lane IN ('', l.lane)
            )
        ORDER BY l.head FOR UPDATE OF l SKIP LOCKED
    ) p;
    RETURN corewire.take_1(ids, fences, runner, op, moment, lease);
END
$$;

-- Claims the first items of lanes, those due longest first; returns their number. One statement, unlike take_1, since
-- this is what runners do most.
CREATE FUNCTION corewire.claim_due_1(grp int4, runner int8, op int8, moment int8, queue bytea, wished int4,
    kinds bytea[], lease int8, skips int8[])
RETURNS int4 LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    count int4;
BEGIN
    WITH due AS MATERIALIZED (
        SELECT l.id FROM corewire.lanes l
        WHERE l.grp = claim_due_1.grp AND l.queue = claim_due_1.queue AND l.owner IS NULL AND l.ready <= moment
            AND (kinds IS NULL OR l.kind = ANY (kinds)) AND (skips IS NULL OR l.head <> ALL (skips))
            AND NOT EXISTS (
                SELECT FROM corewire.pauses p
                WHERE p.grp = claim_due_1.grp AND p.queue = claim_due_1.queue AND p.lane IN ('', l.lane)
            )
        ORDER BY l.ready, l.head LIMIT wished FOR UPDATE SKIP LOCKED
    ), numbered AS MATERIALIZED (SELECT d.id, nextval('corewire.fences') AS fence FROM due d)
    UPDATE corewire.lanes l
    SET owner = claim_due_1.runner, op = claim_due_1.op, fence = i.fence, former = l.ready,
        ready = moment + claim_due_1.lease, since = moment, attempts = l.attempts + 1
    FROM numbered i WHERE l.id = i.id;
    GET DIAGNOSTICS count = ROW_COUNT;
    RETURN count;
END
$$;

-- Gives locked lanes to a runner; returns their number.
CREATE FUNCTION corewire.take_1(ids int8[], fences int8[], runner int8, op int8, moment int8, lease int8) RETURNS int4
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    IF ids IS NULL THEN RETURN 0; END IF;
    UPDATE corewire.lanes l
    SET owner = take_1.runner, op = take_1.op, fence = i.fence, former = l.ready, ready = moment + take_1.lease,
        since = moment, attempts = l.attempts + 1
    FROM unnest(ids, fences) AS i (id, fence)
    WHERE l.id = i.id;
    RETURN cardinality(ids);
END
$$;

-- The claims of a transaction that are still held, in the order of claiming.
CREATE FUNCTION corewire.claimed_1(grp int4, runner int8, op int8)
RETURNS TABLE (queue bytea, "position" int8, id bytea, lane bytea, kind bytea, sealed bool, head bytea, payload bytea,
    attempts int4, added int8, age int8, fence int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT w.queue, w.position, w.id, l.lane, w.kind, w.sealed, w.head, w.payload, l.attempts - 1, w.added,
            greatest(0, l.since - w.added), l.fence
        FROM corewire.lanes l
        JOIN corewire.work w ON w.grp = l.grp AND w.queue = l.queue AND w.position = l.head
        WHERE l.owner = claimed_1.runner AND l.op = claimed_1.op AND l.grp = claimed_1.grp
        ORDER BY l.fence;
END
$$;

CREATE FUNCTION corewire.extend_1(grp int4, runner int8, at int8, positions int8[], fences int8[], lease int8)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    moment int8 := corewire.now_1(at);
    ids int8[];
    numbers int4[];
BEGIN
    SELECT array_agg(h.id), array_agg(h.number) INTO ids, numbers FROM (
        SELECT l.id, e.number::int4 FROM unnest(positions, fences) WITH ORDINALITY AS e (place, fence, number)
        JOIN corewire.lanes l ON l.owner = extend_1.runner AND l.fence = e.fence
        WHERE l.grp = extend_1.grp AND l.head = e.place
        ORDER BY l.queue, l.lane FOR UPDATE OF l
    ) h;
    UPDATE corewire.lanes l SET ready = moment + extend_1.lease WHERE l.id = ANY (ids);
    RETURN corewire.answer_1(coalesce((
        SELECT array_to_json(array_agg(coalesce(n = ANY (numbers), false) ORDER BY n))
        FROM generate_series(1, cardinality(positions)) AS n
    ), '[]')::text);
END
$$;
