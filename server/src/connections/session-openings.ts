import type { Db } from "../db/database.ts";
import { isRefused, type OpenedRow, type SessionRow, upsertSessions } from "./session-store.ts";

/** With more in one statement, the first client would wait for the last row. */
const MOST_AT_ONCE = 64;
/** A second one, so that a row that another process has locked does not keep every client waiting. */
const MOST_STATEMENTS = 2;

interface Opening {
  readonly nodeId: string;
  readonly row: SessionRow;
  readonly resolve: (opened: OpenedRow) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens sessions, many in one statement: those of one turn of the event loop and, under load, those that arrive while others are
 * opened. Sessions of one client id are opened one after the other, in the order of the calls; others do not wait for them.
 */
export class SessionOpenings {
  readonly #db: Db;
  #waiting: Opening[] = [];
  /** Client ids of the statements that run. */
  readonly #running = new Set<string>();
  #statements = 0;
  #isScheduled = false;

  constructor(db: Db) {
    this.#db = db;
  }

  /** See `upsertSessions`. Rejects when the database fails, and for a row that it does not take; never for another one's fault. */
  open(nodeId: string, row: SessionRow): Promise<OpenedRow> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ nodeId, row, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(this.#runWaiting);
  }

  readonly #runWaiting = (): void => {
    this.#isScheduled = false;
    while (this.#statements < MOST_STATEMENTS) {
      const group = this.#takeGroup();
      if (group.length === 0) return;
      void this.#run(group);
    }
  };

  /** Of one node, and each client id once: a statement can change a row once only. */
  #takeGroup(): Opening[] {
    const group: Opening[] = [];
    this.#waiting = this.#waiting.filter((opening) => {
      const { clientId } = opening.row;
      const fits = group.length < MOST_AT_ONCE && (group[0] ?? opening).nodeId === opening.nodeId;
      if (!fits || this.#running.has(clientId)) return true;
      group.push(opening);
      this.#running.add(clientId);
      return false;
    });
    return group;
  }

  async #run(group: readonly Opening[]): Promise<void> {
    this.#statements++;
    await this.#openAll(group);
    this.#statements--;
    for (const { row } of group) this.#running.delete(row.clientId);
    this.#schedule();
  }

  async #openAll(group: readonly Opening[]): Promise<void> {
    try {
      const rows = group.map(({ row }) => row);
      const opened = await upsertSessions(this.#db, group[0]!.nodeId, rows);
      const bySession = new Map(opened.map((row) => [row.session_id, row]));
      for (const { row, resolve } of group) resolve(bySession.get(row.sessionId)!);
    } catch (error) {
      // A row that the database refuses is not to fail the others.
      if (group.length > 1 && isRefused(error)) for (const each of group) await this.#openAll([each]);
      else for (const { reject } of group) reject(error);
    }
  }
}
