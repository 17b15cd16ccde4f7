import { SECOND } from "../../lib/clock.ts";

/** Each process reports every second while the database answers it. */
const CURRENT_MS = 3 * SECOND;
/** When the database is back, each process has so long to be answered before what others report counts. */
const GRACE_MS = 6 * SECOND;

/** What other processes report of the database. Times are monotonic milliseconds. */
export class DatabaseReports {
  #since = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  /** Another process was answered. */
  heard(nowMs: number): void {
    if (nowMs - this.#lastMs > CURRENT_MS) this.#since = nowMs;
    this.#lastMs = nowMs;
  }

  /** Whether the database answers another process, and has for longer than it takes this one to connect again. */
  haveLongAnswered(nowMs: number): boolean {
    return nowMs - this.#lastMs <= CURRENT_MS && nowMs - this.#since > GRACE_MS;
  }
}
