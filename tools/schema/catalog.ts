import type { PGlite } from "@electric-sql/pglite";

export interface Column {
  readonly name: string;
  /** The type as PostgreSQL prints it: `timestamp with time zone`, `text[]`. */
  readonly type: string;
  readonly notNull: boolean;
  /** The default expression, or that of a generated column; null for an identity column. */
  readonly default: string | null;
  /** Whether the database computes the column from others of its row. */
  readonly generated: boolean;
  readonly identity: "always" | "by default" | null;
  /** The collation, if it is not the type's default. */
  readonly collation: string | null;
}

export interface Constraint {
  readonly name: string;
  readonly definition: string;
}

/** A name with the statement that creates it. */
export interface Definition {
  readonly name: string;
  readonly definition: string;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly constraints: readonly Constraint[];
  readonly indexes: readonly Definition[];
  readonly triggers: readonly Definition[];
  /** Storage parameters: `fillfactor=50`. */
  readonly options: readonly string[];
  /** Whether it is unlogged: a crash empties it. */
  readonly unlogged: boolean;
  readonly partitionKey: string | null;
  /** Partitions that the migrations create, each with its bounds. */
  readonly partitions: readonly Definition[];
}

export interface View {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly definition: string;
  /** The columns that the view reads: `devices.uid`. */
  readonly reads: readonly string[];
}

/** The objects of the schema `public`, each kind sorted by name. */
export interface Catalog {
  readonly tables: readonly Table[];
  readonly views: readonly View[];
  readonly sequences: readonly string[];
  readonly functions: readonly Definition[];
}

const COLUMNS = `(
  SELECT coalesce(json_agg(json_build_object(
      'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'notNull', a.attnotnull,
      'default', pg_get_expr(d.adbin, d.adrelid),
      'generated', a.attgenerated <> '',
      'identity', CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' END,
      'collation', (SELECT o.collname FROM pg_collation o JOIN pg_type t ON t.oid = a.atttypid
                     WHERE o.oid = a.attcollation AND a.attcollation <> t.typcollation)) ORDER BY a.attnum), '[]')
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)`;

const TABLES = `
SELECT c.relname AS name, ${COLUMNS} AS columns,
  (SELECT coalesce(json_agg(json_build_object('name', conname, 'definition', pg_get_constraintdef(oid))
                            ORDER BY array_position('{p,u,x,c,f}', contype::text), conname), '[]')
     FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('p', 'u', 'x', 'c', 'f')) AS constraints,
  (SELECT coalesce(json_agg(json_build_object('name', i.relname, 'definition', pg_get_indexdef(i.oid)) ORDER BY i.relname), '[]')
     FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
    WHERE x.indrelid = c.oid AND NOT EXISTS (SELECT FROM pg_constraint n WHERE n.conindid = i.oid AND n.contype IN ('p', 'u', 'x'))
  ) AS indexes,
  (SELECT coalesce(json_agg(json_build_object('name', tgname, 'definition', pg_get_triggerdef(oid)) ORDER BY tgname), '[]')
     FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal) AS triggers,
  coalesce(to_json(c.reloptions), '[]') AS options,
  c.relpersistence = 'u' AS unlogged,
  CASE c.relkind WHEN 'p' THEN pg_get_partkeydef(c.oid) END AS "partitionKey",
  (SELECT coalesce(json_agg(json_build_object('name', p.relname, 'definition',
            pg_get_expr(p.relpartbound, p.oid) || coalesce(' PARTITION BY ' || pg_get_partkeydef(p.oid), '')) ORDER BY p.oid), '[]')
     FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhrelid WHERE h.inhparent = c.oid) AS partitions
FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
ORDER BY c.relname COLLATE "C"`;

const VIEWS = `
SELECT c.relname AS name, ${COLUMNS} AS columns, pg_get_viewdef(c.oid, true) AS definition,
  (SELECT coalesce(json_agg(DISTINCT t.relname || '.' || a.attname), '[]')
     FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refobjsubid > 0
     JOIN pg_class t ON t.oid = d.refobjid JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
    WHERE r.ev_class = c.oid AND t.oid <> c.oid) AS reads
FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v'
ORDER BY c.relname COLLATE "C"`;

/** Sequences without those of identity columns. */
const SEQUENCES = `
SELECT c.relname AS name FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'S'
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'i')
ORDER BY c.relname COLLATE "C"`;

const FUNCTIONS = `
SELECT p.proname AS name, pg_get_functiondef(p.oid) AS definition FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
ORDER BY p.proname COLLATE "C", pg_get_function_identity_arguments(p.oid) COLLATE "C"`;

/** Reads the catalog of a migrated database. */
export async function readCatalog(pglite: PGlite): Promise<Catalog> {
  const rows = async <Row>(statement: string) => (await pglite.query<Row>(statement)).rows;
  return {
    tables: await rows<Table>(TABLES),
    views: await rows<View>(VIEWS),
    sequences: (await rows<{ name: string }>(SEQUENCES)).map(({ name }) => name),
    functions: await rows<Definition>(FUNCTIONS),
  };
}
