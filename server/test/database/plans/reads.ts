import type { Db } from "../../../src/db/database.ts";
import { declaredStatements } from "../../../src/db/statement.ts";
import { runSql } from "../../harness/database/run-sql.ts";

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "CTE Name"?: string;
  readonly Alias?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

/** A plan step that reads a table or an index from end to end. */
export interface WholeRead {
  readonly statement: string;
  readonly of: "table" | "index";
  readonly name: string;
}

/** Statements that tests of this process declare. Their tables need not exist. */
const OF_TESTS = /^(unit|test)-/;

/**
 * Returns the full reads of every statement that the product declares, according to its generic plan, which a
 * connection keeps once it has prepared the statement.
 */
export async function wholeReads(db: Db): Promise<WholeRead[]> {
  return await db.connection().execute(async (session) => {
    await runSql(session, "SET plan_cache_mode = force_generic_plan");
    const found: WholeRead[] = [];
    for (const [statement, text] of declaredStatements()) {
      if (OF_TESTS.test(statement)) continue;
      for (const read of readsIn(await genericPlan(session, text))) found.push({ statement, ...read });
    }
    await runSql(session, "RESET plan_cache_mode");
    return found;
  });
}

/** Returns how many entries of an index have been read. */
export async function entriesRead(connection: Db, index: string): Promise<number> {
  await runSql(connection, "SELECT pg_stat_force_next_flush()");
  const statement = "SELECT idx_tup_read AS read FROM pg_stat_user_indexes WHERE indexrelname = $1";
  return Number((await runSql<{ read: string }>(connection, statement, [index]))[0]!.read);
}

/** Returns what a statement reads from end to end once per row of something else, according to its generic plan. */
export async function repeatedReads(db: Db, statement: string): Promise<string[]> {
  return await db.connection().execute(async (session) => {
    await runSql(session, "SET plan_cache_mode = force_generic_plan");
    const plan = await genericPlan(session, declaredStatements().get(statement)!);
    await runSql(session, "RESET plan_cache_mode");
    return repeatedIn(plan);
  });
}

function repeatedIn(node: PlanNode): string[] {
  const repeated = node["Node Type"] === "Nested Loop" ? node.Plans!.slice(1).flatMap(wholeSet) : [];
  return [...repeated, ...(node.Plans ?? []).flatMap(repeatedIn)];
}

function wholeSet(inner: PlanNode): string[] {
  if (inner["Node Type"] === "Materialize") return inner.Plans!.flatMap(wholeSet);
  if (/^(CTE|Function) Scan$/.test(inner["Node Type"])) return [inner["CTE Name"] ?? inner.Alias!];
  return readsIn(inner).map(({ name }) => name);
}

async function genericPlan(db: Db, text: string): Promise<PlanNode> {
  await runSql(db, `PREPARE planned AS ${text}`);
  try {
    const [prepared] = await runSql<{ parameters: number }>(
      db,
      "SELECT cardinality(parameter_types) AS parameters FROM pg_prepared_statements WHERE name = 'planned'",
    );
    const values = Array<string>(prepared!.parameters).fill("NULL").join(", ");
    const explained = `EXPLAIN (FORMAT JSON, COSTS OFF) EXECUTE planned${values === "" ? "" : `(${values})`}`;
    const [row] = await runSql<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(db, explained);
    return row!["QUERY PLAN"][0].Plan;
  } finally {
    await runSql(db, "DEALLOCATE planned");
  }
}

function readsIn(node: PlanNode): Omit<WholeRead, "statement">[] {
  const below = (node.Plans ?? []).flatMap(readsIn);
  const type = node["Node Type"];
  if (type === "Seq Scan") return [{ of: "table", name: node["Relation Name"]! }, ...below];
  const isWhole = /^(Bitmap )?Index (Only )?Scan$/.test(type) && node["Index Cond"] === undefined;
  return isWhole ? [{ of: "index", name: node["Index Name"]! }, ...below] : below;
}
