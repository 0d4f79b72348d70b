-- What pgAdmin asks in its first minutes, in words of our own. A line `-- step:` begins a step, and one whose name ends
-- in `*` has rows that are each server's own: only their columns are compared.

-- step: sets its session up
SET client_min_messages = notice;
SET client_encoding = 'UTF8';
SET DateStyle = 'ISO';
SELECT set_config('bytea_output', 'hex', false) FROM pg_catalog.pg_settings WHERE name = 'bytea_output';

-- step: asks who and where it is *
SELECT version();
SELECT d.datname, d.datallowconn, pg_encoding_to_char(d.encoding) AS encoding,
  has_database_privilege(d.oid, 'CREATE') AS may_create FROM pg_database d WHERE d.datname = current_database();
SELECT r.rolname, r.rolsuper, r.rolcreaterole, r.rolcreatedb FROM pg_roles r WHERE r.rolname = current_user;
SELECT CASE WHEN usesuper THEN pg_is_in_recovery() ELSE false END AS in_recovery
  FROM pg_user WHERE usename = current_user;

-- step: asks how its connection is encrypted *
SELECT gss_authenticated, encrypted FROM pg_catalog.pg_stat_gssapi WHERE pid = pg_backend_pid();

-- step: lists settings *
SELECT name, setting, unit, short_desc FROM pg_settings ORDER BY name;

-- step: opens databases, schemas and tables
SELECT nspname, has_schema_privilege(oid, 'USAGE')
  FROM pg_catalog.pg_namespace WHERE nspname IN ('public', 'information_schema') ORDER BY nspname;
SELECT rel.relname, (SELECT count(*) FROM pg_trigger t WHERE t.tgrelid = rel.oid AND NOT t.tgisinternal) AS triggers,
  rel.relhassubclass, obj_description(rel.oid, 'pg_class') FROM pg_class rel
  WHERE rel.relkind IN ('r', 's', 't', 'p') AND rel.relnamespace = 2200 AND NOT rel.relispartition ORDER BY rel.relname;
SELECT rel.relname, pg_get_userbyid(rel.relowner), rel.relpersistence, rel.reltablespace,
  array_to_string(rel.reloptions, ',') FROM pg_class rel WHERE rel.oid = 'public.kinds'::regclass;

-- step: opens columns, constraints, indexes
SELECT a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.atthasdef,
  pg_get_expr(d.adbin, d.adrelid), a.attstorage, a.attidentity, a.attgenerated, col_description(a.attrelid, a.attnum)
  FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = 'public.kinds'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;
SELECT c.conname, c.contype, c.condeferrable, pg_get_constraintdef(c.oid, true)
  FROM pg_constraint c WHERE c.conrelid = 'public.kinds'::regclass ORDER BY c.conname;
SELECT i.relname, x.indisunique, x.indisprimary, x.indisvalid, am.amname, pg_get_indexdef(x.indexrelid, 1, true)
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am am ON am.oid = i.relam
  WHERE x.indrelid = 'public.kinds'::regclass ORDER BY i.relname;
SELECT t.tgname FROM pg_trigger t WHERE t.tgrelid = 'public.kinds'::regclass;
SELECT r.rulename FROM pg_rewrite r WHERE r.ev_class = 'public.kinds'::regclass;
SELECT p.polname FROM pg_policy p WHERE p.polrelid = 'public.kinds'::regclass;

-- step: shows rows, sorted and filtered
SELECT at.attname, at.attnum, ty.typname FROM pg_attribute at LEFT JOIN pg_type ty ON ty.oid = at.atttypid
  WHERE at.attrelid = 'public.kinds'::regclass AND at.attnum = ANY ((SELECT con.conkey FROM pg_class rel
  LEFT JOIN pg_constraint con ON con.conrelid = rel.oid AND con.contype = 'p'
  WHERE rel.oid = 'public.kinds'::regclass)::oid[]);
SELECT oid, format_type(oid, NULL) AS typname FROM pg_type WHERE oid IN (23, 20, 1043, 1700, 1184) ORDER BY oid;
SELECT * FROM public.kinds ORDER BY id ASC LIMIT 100;
SELECT * FROM public.kinds ORDER BY id DESC LIMIT 100;
SELECT id, name FROM public.kinds WHERE name = 'n3' ORDER BY id ASC;
SELECT count(*) FROM public.kinds;

-- step: edits a cell, adds a row, deletes it
UPDATE public.kinds SET name = 'changed'::character varying, price = '1.500'::numeric(12,3) WHERE id = 7;
INSERT INTO public.kinds (id, name) VALUES ('2000'::integer, 'new'::character varying);
DELETE FROM public.kinds WHERE id IN ('2000');

-- step: explains a query *
EXPLAIN SELECT * FROM public.kinds WHERE id = 7;

-- step: shows sessions on its dashboard *
SELECT pid, usename, application_name, client_addr, backend_start, state, query FROM pg_stat_activity
  WHERE datname = current_database() ORDER BY pid;

-- step: shows locks on its dashboard *
SELECT locktype, mode, granted FROM pg_locks;

-- step: shows statistics of the table *
SELECT seq_scan, n_live_tup FROM pg_stat_all_tables WHERE relid = 'public.kinds'::regclass;

-- step: shows the size of the table *
SELECT pg_size_pretty(pg_relation_size('public.kinds'::regclass)) AS size;
