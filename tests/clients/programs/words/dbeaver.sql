-- What DBeaver asks in its first minutes, in words of our own. A line `-- step:` begins a step, and one whose name ends
-- in `*` has rows that are each server's own: only their columns are compared.

-- step: sets its session up
SET extra_float_digits = 3;
SET application_name = 'a tool';
SHOW search_path;
SHOW transaction_isolation;

-- step: asks who and where it is *
SELECT current_schema(), session_user;
SELECT version();
SELECT d.datname FROM pg_catalog.pg_database d WHERE d.datallowconn AND NOT d.datistemplate ORDER BY d.datname;
SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'standard_conforming_strings';
SELECT a.rolname FROM pg_catalog.pg_roles a ORDER BY a.rolname;

-- step: reads words, types, schemas
SELECT string_agg(k.word, ',' ORDER BY k.word) FROM pg_catalog.pg_get_keywords() k WHERE k.catcode = 'R';
SELECT t.oid, t.typname, t.typtype, t.typcategory, t.typlen, t.typelem, c.relkind,
  format_type(nullif(t.typbasetype, 0), t.typtypmod) AS base FROM pg_catalog.pg_type t
  LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
  WHERE t.typnamespace = 11 AND (c.relkind IS NULL OR c.relkind = 'c') ORDER BY t.oid LIMIT 200;
SELECT e.enumtypid, e.enumlabel FROM pg_catalog.pg_enum e;
SELECT am.oid, am.amname FROM pg_catalog.pg_am am ORDER BY am.oid;
SELECT c.oid, c.collname, c.collcollate FROM pg_catalog.pg_collation c
  WHERE c.collname IN ('default', 'C', 'POSIX') ORDER BY c.oid;
SELECT n.nspname, d.description FROM pg_catalog.pg_namespace n LEFT OUTER JOIN pg_catalog.pg_description d
  ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass
  WHERE n.nspname IN ('public', 'information_schema') ORDER BY nspname;
SELECT e.extname, e.extversion FROM pg_catalog.pg_extension e WHERE e.extname <> 'plpgsql' ORDER BY e.extname;

-- step: opens tables, columns, constraints, indexes
SELECT c.relname, c.relkind, c.relhasindex, c.relispartition, d.description, pg_get_partkeydef(c.oid)
  FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description d
  ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
  WHERE c.relnamespace = 2200 AND c.relkind NOT IN ('i', 'I', 'c') ORDER BY c.relname;
SELECT c.relname, a.attname, a.atttypid, a.attlen, a.attnum, a.atttypmod, a.attnotnull,
  pg_get_expr(ad.adbin, ad.adrelid, true) AS def_value, dsc.description, dep.objid FROM pg_catalog.pg_attribute a
  INNER JOIN pg_catalog.pg_class c ON a.attrelid = c.oid
  LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
  LEFT OUTER JOIN pg_catalog.pg_description dsc ON c.oid = dsc.objoid AND a.attnum = dsc.objsubid
  LEFT OUTER JOIN pg_depend dep ON dep.refobjid = a.attrelid AND dep.deptype = 'i' AND dep.refobjsubid = a.attnum
  AND dep.classid = dep.refclassid WHERE NOT a.attisdropped AND c.oid = 'public.kinds'::regclass ORDER BY a.attnum;
SELECT c.conname, c.contype, c.conkey, t.relname AS tabrelname, pg_get_constraintdef(c.oid)
  FROM pg_catalog.pg_constraint c INNER JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
  WHERE c.conrelid = 'public.kinds'::regclass ORDER BY c.conname;
SELECT i.indkey, i.indisunique, i.indisprimary, c.relname, pg_get_expr(i.indpred, i.indrelid),
  pg_get_expr(i.indexprs, i.indrelid, true) FROM pg_catalog.pg_index i
  INNER JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'public.kinds'::regclass ORDER BY c.relname;
SELECT DISTINCT dep.deptype, dep.classid, cl.relkind FROM pg_depend dep LEFT JOIN pg_class cl ON dep.objid = cl.oid
  WHERE dep.refobjid = 'public.kinds'::regclass AND dep.deptype IN ('n', 'a');
SELECT tg.tgname FROM pg_catalog.pg_trigger tg WHERE tg.tgrelid = 'public.kinds'::regclass AND NOT tg.tgisinternal;
SELECT p.proname, p.prokind FROM pg_catalog.pg_proc p WHERE p.pronamespace = 2200 ORDER BY p.proname;
SELECT c.relname FROM pg_catalog.pg_class c WHERE c.relkind = 'S' AND c.relnamespace = 2200;

-- step: shows rows, sorted, filtered, counted, grouped
SELECT x.* FROM public.kinds x ORDER BY x.id LIMIT 200;
SELECT x.* FROM public.kinds x WHERE x.name = 'n3' ORDER BY x.day DESC, x.id;
SELECT x.* FROM public.kinds x WHERE name LIKE '%3' ORDER BY x.price;
SELECT count(*) FROM public.kinds x WHERE x.yes;
SELECT name, count(*) FROM public.kinds GROUP BY name ORDER BY count(*) DESC, name;

-- step: edits a cell, adds a row, deletes it
UPDATE public.kinds SET name = 'changed' WHERE id = 7;
INSERT INTO public.kinds (id, name) VALUES (2000, 'new');
DELETE FROM public.kinds WHERE id = 2000;

-- step: explains a query *
EXPLAIN SELECT x.* FROM public.kinds x WHERE x.id = 7;

-- step: shows sizes of tables *
SELECT c.relname, pg_total_relation_size(c.oid) AS total_size, pg_relation_size(c.oid) AS size
  FROM pg_catalog.pg_class c WHERE c.relnamespace = 2200 AND c.relkind = 'r';

-- step: shows sessions *
SELECT * FROM pg_catalog.pg_stat_activity;
