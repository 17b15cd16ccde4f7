import type { Result, Tenant } from "./apply.ts";
import { KINDS, type Operation } from "./kinds.ts";
import type { Present } from "./plan.ts";

/** Sends one request to the public API. @returns the body of its success */
export type Send = (request: {
  method: "GET" | "POST";
  path: string;
  query?: Record<string, string | number>;
  body?: unknown;
}) => Promise<unknown>;

const PAGE = 200;
const OPERATIONS = 50;
/** Below the largest body that the API takes. */
const BATCH_BYTES = 200_000;

/** Returns the tenant of an API key. */
export function tenantOf(send: Send): Tenant {
  return {
    async read() {
      const lists: [string, unknown[]][] = [];
      for (const { name, path } of KINDS) lists.push([name, await listOf(send, path)]);
      return Object.fromEntries(lists) as unknown as Present;
    },
    async run(operations) {
      const results: Result[] = [];
      for (const batch of batchesOf(operations)) {
        const answer = await send({ method: "POST", path: "/batch", body: { operations: batch } });
        results.push(...(answer as { results: Result[] }).results);
      }
      return results;
    },
  };
}

/** Lists without a cursor, which are short. */
const COUNTED = new Set(["/device-types", "/mqtt-clients"]);

async function listOf(send: Send, path: string): Promise<unknown[]> {
  const items: unknown[] = [];
  let next: Record<string, string | number> | undefined = COUNTED.has(path) ? { skip: 0 } : { cursor: "" };
  while (next) {
    const answer = await send({ method: "GET", path, query: { ...next, limit: PAGE } });
    const page = answer as { items: unknown[]; total: number; next?: string };
    items.push(...page.items);
    if (page.next !== undefined) next = { cursor: page.next };
    else if ("skip" in next && page.items.length > 0 && items.length < page.total) next = { skip: items.length };
    else next = undefined;
  }
  return items;
}

function* batchesOf(operations: readonly Operation[]): Generator<Operation[]> {
  let batch: Operation[] = [];
  let bytes = 0;
  for (const operation of operations) {
    const size = Buffer.byteLength(JSON.stringify(operation));
    if (batch.length > 0 && (batch.length === OPERATIONS || bytes + size > BATCH_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(operation);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
