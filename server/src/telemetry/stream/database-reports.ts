import { SECOND } from "../../lib/clock.ts";

/** The time for which a report counts. Each process reports every second while the database answers it. */
const CURRENT_MS = 3 * SECOND;
/** The longest that a process may take to reconnect to a recovered database before the reports of others count. */
const GRACE_MS = 6 * SECOND;

/** The reports of other processes on the database. Times are monotonic milliseconds. */
export class DatabaseReports {
  #since = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  /** Records that the database has answered another process. */
  heard(nowMs: number): void {
    if (nowMs - this.#lastMs > CURRENT_MS) this.#since = nowMs;
    this.#lastMs = nowMs;
  }

  /** Checks whether the database has answered another process for longer than this one needs to reconnect. */
  haveLongAnswered(nowMs: number): boolean {
    return nowMs - this.#lastMs <= CURRENT_MS && nowMs - this.#since > GRACE_MS;
  }
}
