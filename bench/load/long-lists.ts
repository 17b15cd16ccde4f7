import { randomUUID } from "node:crypto";
import pg from "pg";
import { makeKey } from "../../server/src/access/keys/api-key.ts";
import { SCOPES } from "../../server/src/access/keys/scopes.ts";
import { randomIds } from "../../server/src/lib/ids.ts";
import { CONTENTS, GROUPS_OF_DEVICES, type LongList } from "./list-contents.ts";

/** A tenant whose lists are of one length, and keys that may read them. */
export interface LongLists {
  readonly tenantId: string;
  readonly slug: string;
  readonly rows: number;
  readonly keys: readonly string[];
  /** Ids that its rows have: the oldest few, and many. */
  readonly rare: string;
  readonly common: string;
}

export const LONG_LISTS = Object.keys(CONTENTS) as LongList[];
export type { LongList } from "./list-contents.ts";

/** A UUIDv7 of row `n` of tenant `t`, ten milliseconds after the row before. */
const KEY = `(lpad(to_hex(1700000000000 + n * 10), 12, '0') || '7' || lpad(to_hex(n & 4095), 3, '0') || '8' || left(md5(t::text || n), 15))::uuid`;

/** From so many rows on it is sooner done to make the indexes afterwards. */
const MANY_ROWS = 200_000;

/** Fills `lists` of a new tenant with `rows` rows each, directly in the database, as a restored dump does: no trigger runs. */
export async function fillLists(databaseUrl: string, rows: number, lists: readonly LongList[]): Promise<LongLists> {
  const tenant = await addTenant(databaseUrl, rows);
  for (const list of lists) await fillList(databaseUrl, tenant, list);
  return tenant;
}

/** Fills one list of the tenant. */
export async function fillList(databaseUrl: string, tenant: LongLists, list: LongList): Promise<void> {
  await onDatabase(databaseUrl, async (run) => {
    const isLong = tenant.rows >= MANY_ROWS;
    // An INSERT leaves an index alone that is not ready; REINDEX makes it whole.
    if (isLong) await run(`UPDATE pg_index SET indisready = false WHERE indrelid = '${list}'::regclass`);
    const [columns, values] = CONTENTS[list];
    await run(`INSERT INTO ${list} (${columns}) SELECT ${values} FROM ${rowsOf(tenant)}`);
    if (isLong) await run(`REINDEX TABLE ${list}`);
  });
}

/** Puts a tenth of the tenant's devices into a group, and the oldest into another. */
export async function fillGroups(databaseUrl: string, tenant: LongLists): Promise<void> {
  const groups = `INSERT INTO groups (id, tenant_id, name, created_at, updated_at)
    SELECT id, '${tenant.tenantId}', 'Hall ' || id, now(), now() FROM unnest('{${tenant.rare},${tenant.common}}'::uuid[]) id`;
  await onDatabase(databaseUrl, async (run) => {
    await run(groups);
    await run(GROUPS_OF_DEVICES.replace("rows", rowsOf(tenant)));
  });
}

/** Removes all rows of a list, of every tenant, and gives their place back. */
export async function emptyList(databaseUrl: string, list: LongList): Promise<void> {
  await onDatabase(databaseUrl, async (run) => {
    await run(`TRUNCATE ${list} CASCADE`);
    await run(`DELETE FROM list_blocks WHERE list = '${list}'`);
    await run(`DELETE FROM list_changes WHERE list = '${list}'`);
  });
}

async function onDatabase(databaseUrl: string, work: (run: (statement: string) => Promise<unknown>) => Promise<void>) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("SET session_replication_role = replica; SET synchronous_commit = off");
    await client.query("SET maintenance_work_mem = '512MB'");
    await work((statement) => client.query(statement));
  } finally {
    await client.end();
  }
}

/** With OFFSET a key is made once a row, not once for each column that has it. */
function rowsOf({ tenantId, rows, rare, common }: LongLists): string {
  return `(SELECT n, ${KEY} AS id, t, timestamptz '2026-01-01' + n * interval '10 milliseconds' AS at,
      '${rare}'::uuid AS rare, '${common}'::uuid AS common
    FROM generate_series(1, ${rows}) n, CAST('${tenantId}' AS uuid) t OFFSET 0) r`;
}

/** Brings the statistics and the visibility map to the state that autovacuum maintains. */
export async function vacuum(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("VACUUM ANALYZE").finally(() => client.end());
}

const KEYS = 64;

/** Adds a tenant without rows. */
export async function addTenant(databaseUrl: string, rows: number): Promise<LongLists> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const tenantId = randomUUID();
  const slug = tenantId.slice(0, 8);
  try {
    await client.query("INSERT INTO tenants VALUES ($1, $2, 'Long', now())", [tenantId, slug]);
    const keys = await addKeys(client, tenantId);
    return { tenantId, slug, rows, keys, rare: randomUUID(), common: randomUUID() };
  } finally {
    await client.end();
  }
}

async function addKeys(client: pg.Client, tenantId: string): Promise<string[]> {
  const userId = randomUUID();
  await client.query(
    `INSERT INTO users (id, tenant_id, email, role, password_hash, created_at)
     VALUES ($1, $2, $3, 'admin', '', now())`,
    [userId, tenantId, `${userId}@bench.example`],
  );
  const keys = Array.from({ length: KEYS }, () => makeKey(randomIds));
  for (const { id, secretHash } of keys) {
    await client.query(
      `INSERT INTO api_keys (id, tenant_id, user_id, name, secret_hash, scopes, created_at)
       VALUES ($1, $2, $3, 'bench', decode($4, 'hex'), $5, now())`,
      [id, tenantId, userId, secretHash, SCOPES.filter((scope) => scope.endsWith(":read"))],
    );
  }
  return keys.map(({ text }) => text);
}
