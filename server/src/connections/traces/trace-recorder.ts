import type { Unlisten } from "../../db/database.ts";
import { SECOND } from "../../lib/clock.ts";
import { createWriteBehind, type WriteBehind } from "../../lib/write-behind.ts";
import type { ConnectionsDeps } from "../deps.ts";
import {
  findTrace,
  findTraces,
  insertTraceEntries,
  type NewTraceEntryRow,
  TRACES_CHANNEL,
  type TraceRow,
} from "./trace-store.ts";

/** The client of an entry. */
export interface TracedClient {
  readonly tenantId: string;
  readonly clientId: string;
}

/** An entry to record; the fields that do not apply are absent. */
export type NewTraceEntry = Pick<NewTraceEntryRow, "kind"> & Partial<Omit<NewTraceEntryRow, "trace_id" | "at">>;

interface Active {
  row: TraceRow;
  /** The second, since 1970, of the last entry. */
  second: number;
  /** The entries of that second, and those that could not be recorded since an entry said so. */
  count: number;
  omitted: number;
}

const WRITE_MS = 250;

/** Records what the traced clients of this process do. */
export class TraceRecorder {
  readonly #deps: ConnectionsDeps;
  readonly #active = new Map<string, Active>();
  /** The first end of an active trace, in milliseconds since 1970. */
  #firstEnd = Infinity;
  #waiting: NewTraceEntryRow[] = [];
  readonly #writes: WriteBehind;

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
    this.#writes = createWriteBehind(() => this.#write(), { delayMs: WRITE_MS });
  }

  /** Whether any client is traced: while none is, an event costs this look only. */
  get isTracing(): boolean {
    return this.#active.size > 0;
  }

  /** Learns of the traces that any process starts. @returns a function that ends this and writes the last entries */
  async start(): Promise<Unlisten> {
    const { database, logger } = this.#deps;
    const unlisten = await database.listen(TRACES_CHANNEL, (key) => {
      // The key is empty after notifications may have been lost.
      const learned = key === "" ? this.#learnAll() : this.learn(clientOf(key));
      learned.catch((error: Error) => logger.warn({ err: error.message }, "could not read client traces"));
    });
    await this.#learnAll();
    return async () => {
      await unlisten();
      await this.#writes.stop();
    };
  }

  /** Learns of a trace that was started, without waiting for its notification. */
  async learn({ tenantId, clientId }: TracedClient): Promise<void> {
    const row = await findTrace(this.#deps.database.db, tenantId, clientId);
    if (row) this.#activate(row);
  }

  /** Records an entry if the client is traced now. Never waits, never fails. */
  record({ tenantId, clientId }: TracedClient, entry: NewTraceEntry): void {
    const now = this.#deps.clock.now();
    if (now.getTime() >= this.#firstEnd) this.#endDue(now);
    const trace = this.#active.get(keyOf(tenantId, clientId));
    if (trace === undefined) return;
    const { traceEntriesPerSecond, traceEntriesWaiting } = this.#deps.limits;
    const second = Math.floor(now.getTime() / SECOND);
    if (second !== trace.second) {
      if (trace.omitted > 0) this.#add(trace, now, { kind: "omitted", detail: String(trace.omitted) });
      Object.assign(trace, { second, count: 0, omitted: 0 });
    }
    if (trace.count >= traceEntriesPerSecond || this.#waiting.length >= traceEntriesWaiting) {
      trace.omitted++;
      return;
    }
    trace.count++;
    this.#add(trace, now, entry);
  }

  async #learnAll(): Promise<void> {
    for (const row of await findTraces(this.#deps.database.db, this.#deps.clock.now())) this.#activate(row);
  }

  #activate(row: TraceRow): void {
    const key = keyOf(row.tenant_id, row.client_id);
    if (this.#active.get(key)?.row.id !== row.id) this.#active.set(key, { row, second: 0, count: 0, omitted: 0 });
    this.#endDue(this.#deps.clock.now());
  }

  /** Forgets the traces that have ended, and finds the next end. */
  #endDue(now: Date): void {
    for (const [key, { row }] of this.#active) if (now >= row.ends_at) this.#active.delete(key);
    this.#firstEnd = Math.min(...[...this.#active.values()].map(({ row }) => row.ends_at.getTime()));
  }

  #add({ row }: Active, at: Date, { kind, topic = null, bytes = null, detail = null }: NewTraceEntry): void {
    this.#waiting.push({ trace_id: row.id, at, kind, topic, bytes, detail });
    this.#writes.schedule();
  }

  async #write(): Promise<void> {
    const { database, logger } = this.#deps;
    const rows = this.#waiting;
    this.#waiting = [];
    if (rows.length === 0) return;
    await insertTraceEntries(database.db, rows).catch((error: Error) =>
      logger.warn({ err: error.message, lost: rows.length }, "could not write entries of client traces"),
    );
  }
}

function keyOf(tenantId: string, clientId: string): string {
  return `${tenantId} ${clientId}`;
}

function clientOf(key: string): TracedClient {
  const space = key.indexOf(" ");
  return { tenantId: key.slice(0, space), clientId: key.slice(space + 1) };
}
