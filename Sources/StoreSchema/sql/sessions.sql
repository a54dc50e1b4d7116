-- Groups, runners, and the frame of a writing transaction.
--
-- Functions with SECURITY DEFINER are those that a runner calls; the others are their helpers, and run with the
-- settings of their callers. Statements of a function each see what others have committed before the statement (read
-- committed), so a row is read in a statement after the one that locked it.

-- MARK: Time

-- The last time that was noted, and what is added to the clock of the server since that was set back. Sequences, since
-- they are not locked, and outlive a rollback. Here, since a schema may be older than they are.
CREATE SEQUENCE IF NOT EXISTS corewire.clock_seen MINVALUE 0 START 0;
CREATE SEQUENCE IF NOT EXISTS corewire.clock_ahead MINVALUE 0 START 0;

-- The clock of the server.
CREATE FUNCTION corewire.clock_1() RETURNS int8 LANGUAGE sql VOLATILE AS $$
    SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::int8
$$;

CREATE FUNCTION corewire.seen_1() RETURNS int8 LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(pg_sequence_last_value('corewire.clock_seen'), 0)
$$;

CREATE FUNCTION corewire.ahead_1() RETURNS int8 LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(pg_sequence_last_value('corewire.clock_ahead'), 0)
$$;

-- The time that follows what was noted. It goes on where the clock is set back. Where the clock is set forward, or no
-- runner has noted the time for a while, it is that of the clock again, but not an earlier one than was noted. So
-- what is added to a clock that goes back and forth does not grow. A correction of less than half a second is none.
CREATE FUNCTION corewire.follow_1(seen int8, ahead int8, clock int8) RETURNS int8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE WHEN clock + ahead BETWEEN seen - 500 AND seen + 10000 THEN clock + ahead
        ELSE greatest(clock, seen) END;
END
$$;

-- The caller's time, or that of all runners. The clock is read last: it would be behind a time that another transaction
-- notes meanwhile.
CREATE FUNCTION corewire.now_1(at int8) RETURNS int8 LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(at, corewire.follow_1(corewire.seen_1(), corewire.ahead_1(), corewire.clock_1()))
$$;

-- Notes the time. Each beat does so, and a transaction that writes where none did for a second, so that no stored time
-- is later than the noted one by more.
CREATE FUNCTION corewire.note_time_1() RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    seen int8 := corewire.seen_1();
    ahead int8 := corewire.ahead_1();
    clock int8 := corewire.clock_1();
    moment int8 := corewire.follow_1(seen, ahead, clock);
BEGIN
    IF moment - clock <> ahead THEN PERFORM setval('corewire.clock_ahead', moment - clock); END IF;
    PERFORM setval('corewire.clock_seen', greatest(seen, moment));
END
$$;

-- MARK: Transactions

-- Adds the answer of an operation to those of the transaction, and returns it.
CREATE FUNCTION corewire.answer_1(answer text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM set_config('corewire_op.answers',
        concat_ws(',', nullif(current_setting('corewire_op.answers', true), ''), answer), true);
    RETURN answer;
END
$$;

CREATE FUNCTION corewire.base64_1(bytes bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT '"' || replace(encode(bytes, 'base64'), E'\n', '') || '"'
$$;

-- The first name after all that begin with a prefix. Names are shorter than what stands for the end of all.
CREATE FUNCTION corewire.end_1(prefix bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    last int4 := length(prefix) - 1;
BEGIN
    WHILE last >= 0 AND get_byte(prefix, last) = 255 LOOP last := last - 1; END LOOP;
    IF last < 0 THEN RETURN decode(repeat('ff', 1100), 'hex'); END IF;
    RETURN set_byte(substr(prefix, 1, last + 1), last, get_byte(prefix, last) + 1);
END
$$;

-- The name of an advisory lock.
CREATE FUNCTION corewire.lock_1(name text) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended('corewire.' || name, 0)
$$;

-- Settings for the rest of the session. Plans are made once, and by index whatever the tables held at that time.
CREATE FUNCTION corewire.prepare_session_1() RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM set_config(s.name, s.value, false)
    FROM (VALUES ('plan_cache_mode', 'force_generic_plan'), ('jit', 'off'),
        ('default_transaction_isolation', 'read committed'), ('client_min_messages', 'warning'),
        ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'),
        ('enable_bitmapscan', 'off')) AS s (name, value);
END
$$;

-- The timeline of the server. A new one is that of a standby that may lack the last transactions of the former
-- primary; then all numbers that may have been given there are skipped.
CREATE FUNCTION corewire.timeline_1() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    current text := substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
    skipped CONSTANT int8 := 1048576;
BEGIN
    IF (SELECT m.timeline FROM corewire.meta m) = current THEN RETURN current; END IF;
    PERFORM pg_advisory_xact_lock(corewire.lock_1('timeline'));
    IF (SELECT m.timeline FROM corewire.meta m) = current THEN RETURN current; END IF;
    -- Changes may be gone that others have seen: those who have read up to one of them are told of a gap.
    UPDATE corewire.heads SET version = version + skipped, trimmed = version + skipped;
    PERFORM setval('corewire.fences', s.last_value + skipped) FROM corewire.fences s;
    PERFORM setval('corewire.positions', s.last_value + skipped) FROM corewire.positions s;
    UPDATE corewire.meta SET timeline = current;
    RETURN current;
END
$$;

CREATE FUNCTION corewire.schema_1() RETURNS TABLE (schema int4, oldest int4)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT m.schema, m.oldest FROM corewire.meta m;
END
$$;

-- Registers a runner, and makes the group if there is none. Status: joined, key (the group has another), full. The
-- machine, the instance and the release are told to others as the runner gives them.
CREATE FUNCTION corewire.join_1(name bytea, runner int8, machine bytea, instance bytea, release bytea, program int4,
    lease int8, key_check bytea)
RETURNS TABLE (status text, grp int4, op int8, timeline text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    present text := corewire.timeline_1();
    most CONSTANT int4 := 64;
    home corewire.groups;
    op int8;
BEGIN
    PERFORM corewire.prepare_session_1();
    INSERT INTO corewire.groups (name, key_check) VALUES (join_1.name, join_1.key_check) ON CONFLICT DO NOTHING;
    -- The lock counts runners that join at the same time.
    SELECT g.* INTO home FROM corewire.groups g WHERE g.name = join_1.name FOR UPDATE;
    IF home.key_check <> join_1.key_check THEN
        RETURN QUERY SELECT 'key', home.grp, 0::int8, present;
        RETURN;
    END IF;
    INSERT INTO corewire.heads (grp) VALUES (home.grp) ON CONFLICT DO NOTHING;
    IF (SELECT count(*) FROM corewire.runners r WHERE r.grp = home.grp AND r.id <> join_1.runner) >= most THEN
        RETURN QUERY SELECT 'full', home.grp, 0::int8, present;
        RETURN;
    END IF;
    INSERT INTO corewire.runners AS r (id, grp, machine, instance, release, joined, program, lease)
    VALUES (join_1.runner, home.grp, join_1.machine, join_1.instance, join_1.release, corewire.now_1(NULL),
        join_1.program, join_1.lease)
    ON CONFLICT (id) DO UPDATE SET machine = excluded.machine, instance = excluded.instance,
        release = excluded.release, program = excluded.program, lease = excluded.lease
        WHERE r.grp = excluded.grp;
    IF NOT FOUND THEN RAISE 'the runner is in another group' USING ERRCODE = 'CW001'; END IF;
    INSERT INTO corewire.writers AS w (runner) VALUES (join_1.runner)
    ON CONFLICT (runner) DO UPDATE SET op = w.op RETURNING w.op INTO op;
    PERFORM set_config('corewire_op.runner', join_1.runner::text, false);
    RETURN QUERY SELECT 'joined', home.grp, op, present;
END
$$;

-- The last transaction of a runner, once none is under way. Status: held, unknown.
CREATE FUNCTION corewire.standing_1(runner int8) RETURNS TABLE (status text, op int8, answers text, timeline text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    present text := corewire.timeline_1();
BEGIN
    PERFORM corewire.prepare_session_1();
    PERFORM set_config('corewire_op.runner', standing_1.runner::text, false);
    RETURN QUERY SELECT 'held', w.op, w.answers, present FROM corewire.writers w WHERE w.runner = standing_1.runner
        FOR UPDATE;
    IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', 0::int8, '[]', present; END IF;
END
$$;

CREATE FUNCTION corewire.runners_1(grp int4)
RETURNS TABLE (runner int8, machine bytea, instance bytea, release bytea, joined int8, beat int8, lease int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT r.id, r.machine, r.instance, r.release, r.joined, r.beat, r.lease FROM corewire.runners r
        WHERE r.grp = runners_1.grp ORDER BY r.id;
END
$$;

-- The runners of a group by its name; none where there is no such group.
CREATE FUNCTION corewire.members_1(name bytea)
RETURNS TABLE (runner int8, machine bytea, instance bytea, release bytea, joined int8, beat int8, lease int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT r.* FROM corewire.groups g, LATERAL corewire.runners_1(g.grp) r WHERE g.name = members_1.name;
END
$$;

-- Whether the sealing key of a group is this one, by its check value; NULL where there is no such group.
CREATE FUNCTION corewire.has_key_1(name bytea, key_check bytea) RETURNS bool
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN (SELECT g.key_check = has_key_1.key_check FROM corewire.groups g WHERE g.name = has_key_1.name);
END
$$;

-- Puts another sealing key in the place of a former one, by their check values; returns whether it was the group's.
CREATE FUNCTION corewire.rekey_1(name bytea, former bytea, key_check bytea) RETURNS bool
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    UPDATE corewire.groups g SET key_check = rekey_1.key_check
    WHERE g.name = rekey_1.name AND g.key_check = rekey_1.former;
    RETURN FOUND;
END
$$;

-- Shows that a runner lives, and returns all of its group; no rows where the runner is unknown.
CREATE FUNCTION corewire.beat_1(self int8)
RETURNS TABLE (runner int8, machine bytea, instance bytea, release bytea, joined int8, beat int8, lease int8)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    grp int4;
BEGIN
    -- A beat that a failure of the server undoes is followed by the next one.
    PERFORM set_config('synchronous_commit', 'off', true);
    -- A failover is noticed also where no runner writes.
    PERFORM corewire.timeline_1();
    PERFORM corewire.note_time_1();
    UPDATE corewire.runners r SET beat = r.beat + 1 WHERE r.id = self RETURNING r.grp INTO grp;
    IF FOUND THEN RETURN QUERY SELECT * FROM corewire.runners_1(grp); END IF;
END
$$;

-- Ends a runner whose beat is still the one seen, or in any case; returns whether it did.
CREATE FUNCTION corewire.evict_1(grp int4, runner int8, seen int8) RETURNS bool
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    -- Waits for the runner's transaction, but not for long; after the deletion no other one begins.
    PERFORM set_config('lock_timeout', '1s', true);
    PERFORM FROM corewire.writers w WHERE w.runner = evict_1.runner FOR UPDATE;
    DELETE FROM corewire.runners r
    WHERE r.id = evict_1.runner AND r.grp = evict_1.grp AND (seen IS NULL OR r.beat = seen);
    IF NOT FOUND THEN RETURN false; END IF;
    DELETE FROM corewire.writers w WHERE w.runner = evict_1.runner;
    DELETE FROM corewire.pauses p WHERE p.runner = evict_1.runner;
    PERFORM corewire.free_1(evict_1.runner);
    RETURN true;
END
$$;

CREATE FUNCTION corewire.leave_1(runner int8) RETURNS bool
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN coalesce(
        (SELECT corewire.evict_1(r.grp, r.id, NULL) FROM corewire.runners r WHERE r.id = leave_1.runner), false);
END
$$;

-- Frees the lanes that a runner holds. An item that was claimed often may be the cause of its runner's crash: its
-- lease lasts, as a pause before the next claim.
CREATE FUNCTION corewire.free_1(runner int8) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    often CONSTANT int4 := 4;
    ids int8[];
BEGIN
    SELECT array_agg(h.id) INTO ids FROM (
        SELECT l.id FROM corewire.lanes l WHERE l.owner = free_1.runner ORDER BY l.grp, l.queue, l.lane FOR UPDATE
    ) h;
    UPDATE corewire.lanes l
    SET owner = NULL, lost = true, awaits = NULL, ready = CASE WHEN l.attempts < often THEN l.former ELSE l.ready END
    FROM unnest(ids) AS h (id) WHERE l.id = h.id;
END
$$;

-- Begins a transaction of a runner that follows another one. Raises CW001 where the runner has to ask for its
-- standing: the last transaction was not that one, or the session is new, and with it perhaps the server.
CREATE FUNCTION corewire.begin_1(runner int8, former int8, op int8) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM corewire.writers w WHERE w.runner = begin_1.runner AND w.op = begin_1.former FOR UPDATE;
    IF NOT FOUND OR current_setting('corewire_op.runner', true) IS DISTINCT FROM begin_1.runner::text THEN
        RAISE 'not the next transaction of the runner' USING ERRCODE = 'CW001';
    END IF;
    PERFORM set_config('corewire_op.answers', '', true);
END
$$;

-- Stores the answers of the transaction, and the version of its last change.
CREATE FUNCTION corewire.keep_1(runner int8, op int8) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    last text := current_setting('corewire_op.version', true);
BEGIN
    IF corewire.now_1(NULL) >= corewire.seen_1() + 1000 THEN PERFORM corewire.note_time_1(); END IF;
    UPDATE corewire.writers w
    SET op = keep_1.op, answers = concat('[', current_setting('corewire_op.answers', true), ']')
    WHERE w.runner = keep_1.runner;
    IF NOT FOUND THEN RAISE 'not the next transaction of the runner' USING ERRCODE = 'CW001'; END IF;
    IF last <> '' THEN
        UPDATE corewire.heads h
        SET version = last::int8, bytes = current_setting('corewire_op.bytes')::int8
        WHERE h.grp = current_setting('corewire_op.grp')::int4;
    END IF;
END
$$;

-- Tells the group that something has changed. In a transaction of its own, after the commit of the change, since a
-- transaction that notifies holds a lock of the whole server.
CREATE FUNCTION corewire.ring_1(grp int4) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify(concat('corewire_', (parse_ident('corewire.meta'))[1], '_', grp), '');
END
$$;
