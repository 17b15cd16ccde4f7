import { sql } from "kysely";
import type { Database, Tx } from "../types.ts";

/** An arbitrary, fixed lock: two migrations that end together grant one after the other. */
const GRANT_LOCK = sql.lit(0x6d_75_67_72);

/** The rights of the service on tables. Audit tables only grow, and the service migrates nothing. */
const RIGHTS = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"] as const;

/**
 * Lets `role` use the tables of the current role without owning any: change rows, call functions, read the number of
 * the schema. Tables that only grow, by the trigger `refuse_rewrite`, lose UPDATE and DELETE. Changes only what
 * differs, in one transaction, so it may be repeated while services run. New tables, and partitions that the
 * service has made, get their rights by default privileges.
 *
 * @throws Error when the role does not exist, owns something in this database, or may act as the current role
 */
export async function grantToServiceRole({ db, kind }: Pick<Database, "db" | "kind">, role: string): Promise<void> {
  if (kind !== "postgres")
    throw new Error("--service-role needs MUSTER_DATABASE_URL: the embedded database has one role");
  await db.transaction().execute(async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${GRANT_LOCK})`.execute(tx);
    await requireApart(tx, role);
    await grantDefaults(tx, role);
    for (const statement of await missingStatements(tx, role)) await sql.raw(statement).execute(tx);
  });
}

async function requireApart(tx: Tx, role: string): Promise<void> {
  const { rows } = await sql<{ acts: boolean; owned: string[]; owner: string }>`
    SELECT pg_has_role(r.oid, current_user, 'MEMBER') AS acts, current_user::text AS owner,
      ARRAY(SELECT c.relname::text FROM pg_class c WHERE c.relowner = r.oid ORDER BY 1 LIMIT 3) AS owned
    FROM pg_roles r WHERE r.rolname = ${role}`.execute(tx);
  const [found] = rows;
  if (found === undefined)
    throw new Error(`the role ${role} does not exist: create it first (docs/operations/database-roles.md)`);
  if (found.acts)
    throw new Error(`the role ${role} can act as ${found.owner}, which owns the tables: choose another role`);
  if (found.owned.length > 0)
    throw new Error(
      `the role ${role} owns ${found.owned.join(", ")}: a service role must own nothing (REASSIGN OWNED BY)`,
    );
}

async function grantDefaults(tx: Tx, role: string): Promise<void> {
  const to = sql.id(role);
  const byDefault = sql`ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT`;
  await sql`REVOKE ALL ON SCHEMA public FROM PUBLIC`.execute(tx);
  await sql`GRANT USAGE ON SCHEMA public TO ${to}`.execute(tx);
  await sql`${byDefault} SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${to}`.execute(tx);
  await sql`${byDefault} USAGE ON SEQUENCES TO ${to}`.execute(tx);
  await sql`${byDefault} EXECUTE ON FUNCTIONS TO ${to}`.execute(tx);
}

/** GRANT and REVOKE for each object whose rights differ from the wanted ones. */
async function missingStatements(tx: Tx, role: string): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`
    WITH tables AS (
      SELECT c.oid, CASE
          WHEN c.oid = 'schema_migrations'::regclass THEN '{SELECT}'
          WHEN EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgfoid = 'refuse_rewrite'::regproc)
            THEN '{SELECT,INSERT}'
          ELSE '{SELECT,INSERT,UPDATE,DELETE}' END::text[] AS wanted
      FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
    )
    SELECT format(CASE WHEN "right" = ANY (wanted) THEN 'GRANT %s ON %s TO %I' ELSE 'REVOKE %s ON %s FROM %I' END,
        "right", oid::regclass, ${role}::text) AS statement
    FROM tables, unnest(${sql.lit(`{${RIGHTS.join(",")}}`)}::text[]) AS "right"
    WHERE has_table_privilege(${role}::name, oid, "right") <> ("right" = ANY (wanted))
    UNION ALL
    SELECT format('GRANT USAGE ON SEQUENCE %s TO %I', oid::regclass, ${role}::text) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND CASE WHEN relkind = 'S' THEN NOT has_sequence_privilege(${role}::name, oid, 'USAGE') END
    UNION ALL
    SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I', oid::regprocedure, ${role}::text) FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND NOT has_function_privilege(${role}::name, oid, 'EXECUTE')`.execute(
    tx,
  );
  return rows.map(({ statement }) => statement);
}
