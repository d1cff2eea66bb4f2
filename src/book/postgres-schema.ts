/** The tables of a team's book in PostgreSQL, and what it does in one moment: a function each. */

import { maxSkew, never } from './calls.ts';

/** What the functions of a database that is of another version than this program fail with. */
export const otherVersion = 'PD001';
/** Another run has taken the bookmark. */
export const otherHolder = 'PD002';

/** A run that is not heard of for so long counts as dead: its calls as lost, until it settles them. */
export const leaseMs = 30_000;

// As in the book of one machine, `owner` is an account at a base URL, `source` whose calls count
// together; `spent` and `used` (the calls that have ended) and `kept` (the answers) are kept by triggers. All
// changes of an owner stand in line for one lock, so that nothing waits crosswise and a budget is
// exact. A call has its run's own number: a repetition finds what the lost one did. What came from
// another book is of the run 0, which is none: who brings it counts it.
const firstTables = `
-- Its maker may be another role, which has the right to.
DO $$ BEGIN IF to_regnamespace('pdi') IS NULL THEN CREATE SCHEMA pdi; END IF; END $$;
CREATE TABLE pdi.version (number int NOT NULL);
INSERT INTO pdi.version VALUES (1);

CREATE TABLE pdi.owner (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
  base_url text NOT NULL, account text, closed_until bigint NOT NULL DEFAULT 0);
CREATE TABLE pdi.source (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner int NOT NULL, profile text NOT NULL,
  command text NOT NULL, base_url text NOT NULL, sandbox bool NOT NULL, "user" text NOT NULL,
  host text NOT NULL, file text NOT NULL,
  UNIQUE (owner, profile, command, base_url, sandbox, "user", host, file));
CREATE TABLE pdi.run (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, token text NOT NULL UNIQUE, owner int NOT NULL,
  source int NOT NULL, pid int NOT NULL, began bigint NOT NULL, until bigint NOT NULL,
  ended bool NOT NULL DEFAULT false);
CREATE INDEX run_open ON pdi.run (owner) WHERE NOT ended;

CREATE TABLE pdi.call (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run int NOT NULL, nonce int NOT NULL,
  owner int NOT NULL, source int NOT NULL, key text NOT NULL, at bigint NOT NULL,
  max_age bigint NOT NULL, outcome text NOT NULL, operation text NOT NULL, item text,
  billing text NOT NULL, UNIQUE (run, nonce)) WITH (fillfactor = 85);
CREATE INDEX call_open ON pdi.call (key) WHERE outcome IN ('sent', 'lost', 'billed_lost');
CREATE INDEX call_lost ON pdi.call (owner) WHERE outcome IN ('lost', 'billed_lost');
CREATE INDEX call_sent ON pdi.call (owner, run) WHERE outcome = 'sent';
CREATE INDEX call_item ON pdi.call (item) WHERE item IS NOT NULL;

CREATE TABLE pdi.spent (
  source int NOT NULL, day text COLLATE "C" NOT NULL, outcome text NOT NULL, calls bigint NOT NULL,
  PRIMARY KEY (source, day, outcome)) WITH (fillfactor = 50);
CREATE TABLE pdi.used (
  owner int NOT NULL, day text COLLATE "C" NOT NULL, calls bigint NOT NULL,
  PRIMARY KEY (owner, day)) WITH (fillfactor = 50);

CREATE TABLE pdi.answer (
  key text COLLATE "C" PRIMARY KEY, run int NOT NULL, owner int NOT NULL, operation text NOT NULL,
  at bigint NOT NULL, until bigint NOT NULL, max_age bigint NOT NULL, missing bool NOT NULL, bytes int NOT NULL,
  body text NOT NULL);
CREATE INDEX answer_until ON pdi.answer (owner, until) INCLUDE (operation, bytes);
CREATE INDEX answer_at ON pdi.answer (owner, operation, at);

CREATE TABLE pdi.kept (
  owner int NOT NULL, operation text NOT NULL, answers bigint NOT NULL, bytes bigint NOT NULL,
  PRIMARY KEY (owner, operation)) WITH (fillfactor = 50);

CREATE TABLE pdi.finished (
  host text NOT NULL, file text NOT NULL, state text NOT NULL, PRIMARY KEY (host, file));
CREATE TABLE pdi.bookmark (
  name text COLLATE "C" NOT NULL, sandbox bool NOT NULL, state text NOT NULL, next text,
  PRIMARY KEY (name, sandbox));
CREATE TABLE pdi.outbox (
  bookmark text NOT NULL, sandbox bool NOT NULL, place int NOT NULL, record text NOT NULL,
  PRIMARY KEY (bookmark, sandbox, place));
CREATE TABLE pdi.holder (
  bookmark text NOT NULL, sandbox bool NOT NULL, token text NOT NULL, "user" text NOT NULL,
  host text NOT NULL, until bigint NOT NULL, PRIMARY KEY (bookmark, sandbox));
`;

const firstFunctions = `
CREATE FUNCTION pdi.ms() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE FUNCTION pdi.day(at bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT to_char(to_timestamp(at / 1000.0) AT TIME ZONE 'utc', 'YYYY-MM-DD') $$;

CREATE FUNCTION pdi.require(known int) RETURNS void LANGUAGE plpgsql STABLE AS $$
DECLARE v int; BEGIN
  SELECT number INTO v FROM pdi.version;
  IF v <> known THEN RAISE EXCEPTION '%', v USING ERRCODE = '${otherVersion}'; END IF;
END $$;

CREATE FUNCTION pdi.reported(outcome text, billing text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN outcome = 'billed_lost' THEN 'billed' WHEN outcome = 'cleared' THEN 'not_billed'
    WHEN outcome NOT IN ('sent', 'lost', 'settled') THEN outcome WHEN billing = 'unstated' THEN 'unpriced' WHEN outcome = 'settled' THEN outcome ELSE 'lost' END $$;

CREATE FUNCTION pdi.tally(c pdi.call, n int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO pdi.spent AS t
    VALUES (c.source, pdi.day(c.at), pdi.reported(c.outcome, c.billing), n)
    ON CONFLICT (source, day, outcome) DO UPDATE SET calls = t.calls + n;
  INSERT INTO pdi.used AS t SELECT c.owner, pdi.day(c.at), n
    WHERE c.outcome NOT IN ('not_billed', 'cleared')
    ON CONFLICT (owner, day) DO UPDATE SET calls = t.calls + n $$;

CREATE FUNCTION pdi.call_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'UPDATE' AND old.outcome <> 'sent' THEN
    PERFORM pdi.tally(old, -1);
  END IF;
  IF new.outcome <> 'sent' THEN
    PERFORM pdi.tally(new, 1);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER call_added AFTER INSERT ON pdi.call
  FOR EACH ROW WHEN (new.outcome <> 'sent' AND new.run > 0) EXECUTE FUNCTION pdi.call_changed();
CREATE TRIGGER call_changed AFTER UPDATE OF outcome ON pdi.call
  FOR EACH ROW WHEN (old.outcome <> new.outcome) EXECUTE FUNCTION pdi.call_changed();

CREATE FUNCTION pdi.answer_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE pdi.kept SET answers = answers - 1, bytes = kept.bytes - old.bytes
      WHERE owner = old.owner AND operation = old.operation;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO pdi.kept AS k VALUES (new.owner, new.operation, 1, new.bytes)
      ON CONFLICT (owner, operation)
      DO UPDATE SET answers = k.answers + 1, bytes = k.bytes + new.bytes;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER answer_put AFTER INSERT OR UPDATE ON pdi.answer
  FOR EACH ROW WHEN (new.run > 0) EXECUTE FUNCTION pdi.answer_changed();
CREATE TRIGGER answer_deleted AFTER DELETE ON pdi.answer
  FOR EACH ROW EXECUTE FUNCTION pdi.answer_changed();

CREATE FUNCTION pdi.line_up(o int) RETURNS void LANGUAGE sql VOLATILE AS
$$ SELECT pg_advisory_xact_lock(28742, o) $$;

CREATE FUNCTION pdi.alive(r int) RETURNS bool LANGUAGE sql VOLATILE AS
$$ SELECT EXISTS (SELECT 1 FROM pdi.run WHERE id = r AND NOT ended AND until > pdi.ms()) $$;

-- A run that was taken for dead lives again: what it settles counts.
CREATE FUNCTION pdi.beat(t text) RETURNS void LANGUAGE sql VOLATILE AS $$
  UPDATE pdi.run SET until = pdi.ms() + ${leaseMs}, ended = false
    WHERE token = t AND (ended OR until < pdi.ms() + ${leaseMs} * 2 / 3) $$;

CREATE FUNCTION pdi.bury(r int) RETURNS void LANGUAGE sql VOLATILE AS $$
  UPDATE pdi.call SET outcome = 'lost' WHERE run = r AND outcome = 'sent';
  UPDATE pdi.run SET ended = true WHERE id = r $$;

CREATE FUNCTION pdi.bury_dead(o int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE r record; BEGIN
  PERFORM pdi.line_up(o);
  FOR r IN SELECT id FROM pdi.run WHERE owner = o AND NOT ended AND until <= pdi.ms()
  LOOP PERFORM pdi.bury(r.id); END LOOP;
END $$;

CREATE FUNCTION pdi.begin(
  version int, t text, name text, url text, account text, profile text, command text, origin text,
  sandbox bool, "user" text, host text, file text, pid int)
RETURNS TABLE (at bigint, is_first bool) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE o int; s int; BEGIN
  PERFORM pdi.require(version);
  INSERT INTO pdi.owner (name, base_url, account)
    VALUES (begin.name, url, begin.account) ON CONFLICT DO NOTHING;
  SELECT x.id INTO o FROM pdi.owner x WHERE x.name = begin.name;
  PERFORM pdi.bury_dead(o);
  INSERT INTO pdi.source (owner, profile, command, base_url, sandbox, "user", host, file)
    VALUES (o, begin.profile, begin.command, origin, begin.sandbox, begin."user", begin.host,
      begin.file) ON CONFLICT DO NOTHING;
  SELECT x.id INTO s FROM pdi.source x
    WHERE (x.owner, x.profile, x.command, x.base_url, x.sandbox, x."user", x.host, x.file)
      = (o, begin.profile, begin.command, origin, begin.sandbox, begin."user", begin.host, begin.file);
  INSERT INTO pdi.run (token, owner, source, pid, began, until)
    VALUES (t, o, s, begin.pid, pdi.ms(), pdi.ms() + ${leaseMs}) ON CONFLICT DO NOTHING;
  RETURN QUERY SELECT pdi.ms(), NOT EXISTS (SELECT 1 FROM pdi.kept);
END $$;

-- What is past its age goes at the end of any run, for as long as nobody minds.
CREATE FUNCTION pdi.expire(o int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE start bigint := pdi.ms(); BEGIN
  LOOP
    DELETE FROM pdi.answer WHERE key IN (SELECT key FROM pdi.answer
      WHERE owner = o AND until <= start LIMIT 250);
    EXIT WHEN NOT FOUND OR pdi.ms() - start > 50;
  END LOOP;
END $$;

CREATE FUNCTION pdi.conclude(t text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE r pdi.run; BEGIN
  SELECT * INTO STRICT r FROM pdi.run WHERE token = t;
  PERFORM pdi.line_up(r.owner), pdi.bury(r.id), pdi.expire(r.owner);
END $$;

CREATE FUNCTION pdi.used(o int, days text[]) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT coalesce((SELECT sum(calls) FROM pdi.used
    WHERE owner = o AND day BETWEEN days[1] AND days[2]), 0)::bigint
  + (SELECT count(*) FROM pdi.call WHERE owner = o AND outcome = 'sent'
    AND pdi.day(at) BETWEEN days[1] AND days[2]) $$;

CREATE FUNCTION pdi.days(unit text, at bigint) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE unit WHEN 'day' THEN ARRAY[pdi.day(at), pdi.day(at)]
    ELSE ARRAY[left(pdi.day(at), 8) || '01', left(pdi.day(at), 8) || '31'] END $$;

-- What the book has of one question: an answer, or why it must not be asked. \`r\` is the run that
-- asks, 0 for one that only looks.
CREATE FUNCTION pdi.fate(r int, t bigint, k text, age bigint, since bigint, past_lost bool)
RETURNS TABLE (state text, at bigint, body text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE a pdi.answer; c pdi.call; lost text; BEGIN
  IF age = 0 THEN RETURN; END IF;
  SELECT * INTO a FROM pdi.answer x
    WHERE x.key = k AND x.at > t - least(age, x.max_age) AND x.at >= since
      -- From a clock that was wrong it is as old as need be.
      AND (x.at <= t + ${maxSkew} OR pdi.alive(x.run));
  IF FOUND THEN
    RETURN QUERY SELECT CASE WHEN a.missing THEN 'missing' ELSE 'answer' END, a.at, a.body;
    RETURN;
  END IF;
  FOR c IN SELECT * FROM pdi.call x
    WHERE x.key = k AND x.outcome IN ('sent', 'lost', 'billed_lost') AND x.max_age > 0
  LOOP
    IF c.outcome = 'sent' AND (c.run = r OR pdi.alive(c.run)) THEN
      RETURN QUERY SELECT 'held', 0::bigint, NULL::text;
      RETURN;
    END IF;
    -- Its answer would not have been kept until now.
    CONTINUE WHEN c.at <= t - least(age, c.max_age) OR lost = 'billed_lost';
    lost := CASE c.outcome WHEN 'billed_lost' THEN c.outcome ELSE 'lost' END;
  END LOOP;
  IF lost IS NOT NULL AND NOT past_lost THEN RETURN QUERY SELECT lost, 0::bigint, NULL::text; END IF;
END $$;

CREATE FUNCTION pdi.look(version int, keys text[], ages bigint[], token text, past_lost bool)
RETURNS TABLE (place int, state text, number bigint, body text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE i int; began bigint; BEGIN
  PERFORM pdi.require(version);
  -- Of a run that begins only now, all that is kept is older.
  began := CASE WHEN token IS NULL THEN 0 ELSE
    coalesce((SELECT x.began FROM pdi.run x WHERE x.token = look.token), pdi.ms()) END;
  FOR i IN 1 .. cardinality(keys) LOOP
    RETURN QUERY SELECT i, f.* FROM pdi.fate(0, pdi.ms(), keys[i], ages[i], began, past_lost) f;
  END LOOP;
END $$;

CREATE FUNCTION pdi.take(
  t text, room int, most_month bigint, most_day bigint, past_lost bool,
  fresh bool, again bool, nonces int[], keys text[], ages bigint[], ops text[], items text[],
  bills text[], placed bool[])
RETURNS TABLE (state text, number bigint, body text, closed bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE r pdi.run; now bigint; used bigint; most bigint; unit text; days text[]; i int; BEGIN
  SELECT * INTO STRICT r FROM pdi.run x WHERE x.token = t;
  PERFORM pdi.line_up(r.owner), pdi.beat(t);
  now := pdi.ms();
  SELECT greatest(0, closed_until - now) INTO closed FROM pdi.owner WHERE id = r.owner;
  FOR i IN 1 .. cardinality(keys) LOOP
    state := NULL; number := NULL; body := NULL;
    IF again THEN
      -- The answer to the first try was lost on its way.
      UPDATE pdi.call x SET outcome = 'sent'
        WHERE x.run = r.id AND x.nonce = nonces[i] AND x.outcome IN ('sent', 'lost')
        RETURNING x.id INTO number;
      IF FOUND THEN state := 'ticket'; RETURN NEXT; CONTINUE; END IF;
    END IF;
    SELECT f.state, f.at, f.body INTO state, number, body FROM pdi.fate(
      r.id, now, keys[i], ages[i], CASE WHEN fresh THEN r.began ELSE 0 END, past_lost) f;
    IF state IS NOT NULL THEN RETURN NEXT; CONTINUE; END IF;
    IF room < 1 AND NOT placed[i] THEN state := 'capped'; RETURN NEXT; CONTINUE; END IF;
    FOREACH unit IN ARRAY ARRAY['month', 'day'] LOOP
      most := CASE unit WHEN 'month' THEN most_month ELSE most_day END;
      CONTINUE WHEN most IS NULL;
      days := pdi.days(unit, now);
      used := pdi.used(r.owner, days);
      CONTINUE WHEN used < most;
      -- Calls under way may turn out not to be billed.
      state := CASE WHEN used - (SELECT count(*) FROM pdi.call x WHERE x.owner = r.owner
        AND x.outcome = 'sent' AND pdi.day(x.at) BETWEEN days[1] AND days[2]
        AND (x.run = r.id OR pdi.alive(x.run))) < most THEN 'full ' ELSE 'over ' END || unit;
      number := used;
      EXIT;
    END LOOP;
    IF state IS NOT NULL THEN RETURN NEXT; CONTINUE; END IF;
    INSERT INTO pdi.call
      (run, nonce, owner, source, key, at, max_age, outcome, operation, item, billing)
      VALUES (r.id, nonces[i], r.owner, r.source, keys[i], now, ages[i], 'sent', ops[i], items[i],
        bills[i]) RETURNING id INTO number;
    IF NOT placed[i] THEN room := room - 1; END IF;
    state := 'ticket';
    RETURN NEXT;
  END LOOP;
END $$;

-- The service did not carry it out.
CREATE FUNCTION pdi.give_back(n bigint, k text, closed_for bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE c pdi.call; BEGIN
  SELECT * INTO c FROM pdi.call WHERE id = n AND key = k AND outcome IN ('sent', 'lost');
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM pdi.line_up(c.owner);
  -- A machine that has met the service's limit holds up all others of the owner.
  UPDATE pdi.owner SET closed_until = greatest(closed_until, pdi.ms() + closed_for)
    WHERE id = c.owner AND closed_for > 0;
  -- What passed for lost is counted so.
  UPDATE pdi.call SET outcome = 'sent' WHERE id = n AND outcome = 'lost';
  DELETE FROM pdi.call WHERE id = n AND outcome = 'sent';
END $$;

-- Of several of one moment the first stays.
CREATE FUNCTION pdi.keep_earlier(k text, most int) RETURNS void LANGUAGE sql VOLATILE AS $$
  UPDATE pdi.answer a SET key = k || ' ' || at, until = ${never}, max_age = 0 WHERE key = k
    AND NOT EXISTS (SELECT 1 FROM pdi.answer WHERE key = k || ' ' || a.at);
  DELETE FROM pdi.answer WHERE key IN (SELECT key FROM pdi.answer
    WHERE key > k AND key < k || '!' ORDER BY at DESC, key DESC OFFSET most) $$;

CREATE FUNCTION pdi.settle(
  t text, ids bigint[], nonces int[], keys text[], ages bigint[], ops text[], items text[],
  bills text[], outcomes text[], ago bigint[], missings bool[], bodies text[], versions int)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE r pdi.run; now bigint; c pdi.call; i int; BEGIN
  SELECT * INTO STRICT r FROM pdi.run WHERE token = t;
  PERFORM pdi.line_up(r.owner);
  now := pdi.ms();
  FOR i IN 1 .. cardinality(ids) LOOP
    IF ids[i] = 0 THEN
      INSERT INTO pdi.call
        (run, nonce, owner, source, key, at, max_age, outcome, operation, item, billing)
        VALUES (r.id, nonces[i], r.owner, r.source, keys[i], now, ages[i], outcomes[i], ops[i],
          items[i], bills[i]) ON CONFLICT DO NOTHING RETURNING * INTO c;
    ELSE
      -- Of a run that was taken for dead, another one may have bought the same since.
      UPDATE pdi.call SET outcome = outcomes[i] WHERE id = ids[i] AND (outcome IN ('sent', 'lost')
        OR (outcome IN ('settled', 'billed_lost', 'cleared') AND outcomes[i] <> 'lost')) RETURNING * INTO c;
    END IF;
    -- A repetition, whose answer was lost on its way.
    CONTINUE WHEN NOT FOUND;
    IF bodies[i] IS NOT NULL
      OR (c.billing = 'charged' AND outcomes[i] IN ('billed', 'unpriced')) THEN
      UPDATE pdi.call SET outcome = CASE outcome WHEN 'billed_lost' THEN 'billed' ELSE 'settled' END
        WHERE key = c.key AND id < c.id AND outcome IN ('sent', 'lost', 'billed_lost')
        AND (outcome <> 'sent' OR NOT pdi.alive(run));
    END IF;
    IF bodies[i] IS NOT NULL AND ages[i] > 0 THEN
      IF versions > 1 THEN PERFORM pdi.keep_earlier(c.key, versions - 1); END IF;
      INSERT INTO pdi.answer AS a VALUES (c.key, c.run, c.owner, c.operation, now - ago[i],
        CASE WHEN versions > 1 THEN ${never} ELSE now - ago[i] + ages[i] END, ages[i], missings[i], octet_length(bodies[i]), bodies[i])
        ON CONFLICT (key) DO UPDATE SET run = excluded.run, at = excluded.at,
          until = excluded.until, max_age = excluded.max_age, missing = excluded.missing,
          bytes = excluded.bytes, body = excluded.body;
    END IF;
  END LOOP;
END $$;

-- What the service's log says, of calls that are still as they were.
CREATE FUNCTION pdi.settle_by_log(who text, ids bigint[], befores text[], afters text[])
RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pdi.bury_dead(id) FROM pdi.owner WHERE name = who;
  UPDATE pdi.call c SET outcome = e.after FROM unnest(ids, befores, afters) AS e (id, before, after)
    WHERE c.id = e.id AND c.outcome = e.before;
END $$;

CREATE FUNCTION pdi.line_up_all() RETURNS void LANGUAGE plpgsql AS $$
DECLARE o int; BEGIN
  FOR o IN SELECT id FROM pdi.owner ORDER BY id LOOP PERFORM pdi.line_up(o); END LOOP;
END $$;

CREATE FUNCTION pdi.forget(about text, hash text, keys text[])
RETURNS TABLE (answers bigint, calls bigint) LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pdi.line_up_all();
  UPDATE pdi.call SET item = hash WHERE item = about;
  GET DIAGNOSTICS calls = ROW_COUNT;
  DELETE FROM pdi.answer USING (
    SELECT unnest(keys) AS k UNION SELECT call.key FROM pdi.call WHERE item = hash) AS asked
    WHERE key >= k AND key < k || '!';
  GET DIAGNOSTICS answers = ROW_COUNT;
  RETURN NEXT;
END $$;

-- So many at a time, because runs wait for the end of it.
CREATE FUNCTION pdi.purge(o int, up_to bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint; BEGIN
  PERFORM pdi.line_up(o);
  DELETE FROM pdi.answer WHERE key IN
    (SELECT key FROM pdi.answer WHERE owner = o AND at <= up_to LIMIT 2000);
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

-- What was lost before is sent again from now on.
CREATE FUNCTION pdi.let_go(o int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pdi.bury_dead(o);
  UPDATE pdi.call SET max_age = 0 WHERE owner = o
    AND outcome IN ('lost', 'billed_lost') AND max_age > 0;
END $$;

CREATE FUNCTION pdi.hold(b text, s bool, t text, u text, h text) RETURNS bool
LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO pdi.holder AS x VALUES (b, s, t, u, h, pdi.ms() + ${leaseMs})
    ON CONFLICT (bookmark, sandbox) DO UPDATE SET token = t, "user" = u, host = h,
      until = excluded.until WHERE x.token = t OR x.until <= pdi.ms();
  RETURN FOUND;
END $$;

-- A run that slept must not move a bookmark that another one has taken since.
CREATE FUNCTION pdi.require_held(b text, s bool, t text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE o pdi.holder; BEGIN
  SELECT * INTO o FROM pdi.holder
    WHERE bookmark = b AND sandbox = s AND token <> t AND until > pdi.ms() FOR UPDATE;
  IF FOUND THEN
    RAISE EXCEPTION '% on %', o."user", o.host USING ERRCODE = '${otherHolder}';
  END IF;
END $$;

CREATE FUNCTION pdi.put(b text, s bool, t text, new_state text, waits bool) RETURNS void
LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pdi.require_held(b, s, t);
  INSERT INTO pdi.bookmark VALUES (b, s, new_state, NULL)
    ON CONFLICT (name, sandbox) DO UPDATE SET state = new_state, next = NULL;
  IF NOT waits THEN DELETE FROM pdi.outbox WHERE bookmark = b AND sandbox = s; END IF;
END $$;

CREATE FUNCTION pdi.put_next(b text, s bool, t text, new_state text, later text, records text[])
RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pdi.require_held(b, s, t);
  INSERT INTO pdi.bookmark VALUES (b, s, new_state, later)
    ON CONFLICT (name, sandbox) DO UPDATE SET next = later;
  INSERT INTO pdi.outbox SELECT b, s, r.place
      + coalesce((SELECT max(place) FROM pdi.outbox WHERE bookmark = b AND sandbox = s), 0), r.record
    FROM unnest(records) WITH ORDINALITY AS r (record, place);
END $$;

CREATE FUNCTION pdi.forget_waiting(b text, s bool, p int, new_state text) RETURNS void
LANGUAGE sql VOLATILE AS $$
  DELETE FROM pdi.outbox WHERE bookmark = b AND sandbox = s AND place = p;
  UPDATE pdi.bookmark SET state = new_state WHERE name = b AND sandbox = s $$;

CREATE FUNCTION pdi.remove(b text, s bool, t text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint; BEGIN
  PERFORM pdi.require_held(b, s, t);
  DELETE FROM pdi.bookmark WHERE name = b AND sandbox = s;
  DELETE FROM pdi.outbox WHERE bookmark = b AND sandbox = s;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
`;

/** Applied in this order, each once, as `pdi.version` counts; none is changed after a release. */
export const migrations: readonly string[] = [`${firstTables}\n${firstFunctions}`];

export const version = migrations.length;
