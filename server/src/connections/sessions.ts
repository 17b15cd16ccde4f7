import { isUnavailable } from "../db/refusal.ts";
import { batchesOf } from "../lib/batching/batches-of.ts";
import { CONNECTS_APART_MS, RequestBatcher } from "../lib/batching/request-batcher.ts";
import type { ConnectionsDeps } from "./deps.ts";
import type { Drops } from "./drops/drops.ts";
import { isNodeIncomplete } from "./nodes/complete-store.ts";
import type { NodeLease } from "./nodes/node-lease.ts";
import {
  type NumberedSession,
  type RestoredRow,
  recordedSessions,
  renumberRestored,
  restoreMissingSessions,
} from "./nodes/restore-store.ts";
import type { Presence } from "./presence.ts";
import { type NodeSessionRow, type OpenedRow, type SessionRow, upsertSessions } from "./session-store.ts";

const MOST_AT_ONCE = 64;
const NOTHING = { previous: undefined, awaitReplaced: undefined, hasCommands: false, hasStored: false, hasWill: false };

export type NewSession = Omit<SessionRow, "connectedAt">;

/** A session of this process that must end, because another process has taken it over or it is no longer valid. */
export interface LostSession {
  sessionId: string;
  reason: string;
}

export interface OpenedSession {
  /** The session of the same client id that this one has replaced, and whether it belongs to this process. */
  previous: { sessionId: string; here: boolean } | undefined;
  /** Whether there may be commands for the device. */
  hasCommands: boolean;
  /** Whether the client has a stored session. */
  hasStored: boolean;
  /** Whether an undelayed will of an earlier connection is stored. */
  hasWill: boolean;
  /**
   * Resolves when the client's earlier sessions in other processes are closed, or have not been in time; see `Drops`.
   */
  awaitReplaced: ((notify: (sessionId: string) => void) => Promise<boolean>) | undefined;
  /** Set when the authorization was revoked in the meantime, so the session was not recorded. */
  ended?: string;
}

/** The end reason of a recorded session that this process does not have. */
const ENDED_EARLIER = "connection_lost";
const REVOKED = "certificate revoked";
const DISABLED = "client_disabled";

/** Returns the end reason of a session that is no longer valid. */
const endOf = ({ deviceUid }: SessionRow): string => (deviceUid === null ? DISABLED : REVOKED);

/**
 * The sessions of this process and their rows; the row determines which session is the current one of its client id.
 */
export class Sessions {
  readonly #deps: ConnectionsDeps;
  readonly #presence: Presence;
  readonly #lease: NodeLease;
  readonly #drops: Pick<Drops, "awaitReplaced">;
  readonly #openings: RequestBatcher<NodeSessionRow, OpenedRow | undefined>;
  readonly #open = new Map<string, NumberedSession>();
  /**
   * Sessions whose statement is in flight: it may already have been executed, and a successor's answer may come first.
   */
  readonly #opening = new Set<string>();
  /** Sessions that wait until earlier ones of their client are closed. */
  readonly #succeeding = new Set<string>();
  #node: string | undefined;
  #complete: () => Promise<void> = async () => undefined;

  constructor(deps: ConnectionsDeps, presence: Presence, lease: NodeLease, drops: Pick<Drops, "awaitReplaced">) {
    this.#deps = deps;
    this.#drops = drops;
    this.#presence = presence;
    this.#lease = lease;
    this.#openings = new RequestBatcher({
      most: MOST_AT_ONCE,
      apartMs: CONNECTS_APART_MS,
      // A statement can change a row only once.
      keysOf: ({ clientId }) => [clientId],
      run: (rows) => upsertSessions(deps.database.connects, rows),
      failsWholeBatch: (error) => isUnavailable(error) || isNodeIncomplete(error),
    });
  }

  setNode(nodeId: string | undefined): void {
    this.#node = nodeId;
  }

  /**
   * Registers the function that re-records sessions lost in a crash of the database; no session is opened before it is
   * done.
   */
  onIncomplete(complete: () => Promise<void>): void {
    this.#complete = complete;
  }

  async openSession(session: NewSession): Promise<OpenedSession> {
    const node = this.#node;
    if (node === undefined) throw new Error("this process does not serve MQTT: startNode() was not called");
    const { term } = this.#lease;
    if (term === undefined) throw new Error("this node has no lease: the database has stored no recent heartbeat");
    const row = { ...session, nodeId: node, connectedAt: this.#deps.clock.now() };
    this.#opening.add(row.sessionId);
    const opened = await this.#record(row)
      .catch((error: unknown) => {
        // The statement may have been executed although its answer was lost.
        this.#presence.ended(row, undefined);
        throw error;
      })
      .finally(() => this.#opening.delete(row.sessionId));
    if (opened === undefined) return { ...NOTHING, ended: endOf(row) };
    if (this.#lease.term !== term) {
      this.#presence.ended(row, undefined);
      throw new Error("the lease of this node ended while the session was being recorded");
    }
    this.#add({ ...row, seq: opened.seq });
    const { has_commands: hasCommands, has_stored: hasStored, has_will: hasWill } = opened;
    const awaitReplaced = this.#succession(row, opened);
    return { previous: this.#predecessor(opened), hasCommands, hasStored, hasWill, awaitReplaced };
  }

  closeSession(sessionId: string, reason: string): void {
    const row = this.#open.get(sessionId);
    if (!row) return;
    this.#open.delete(sessionId);
    const { deviceUid, seq } = row;
    const change = deviceUid === null ? undefined : { deviceUid, seq, at: this.#deps.clock.now(), reason };
    this.#presence.ended(row, change);
  }

  /**
   * Re-records every session of this process after its node was reaped. Ends recorded sessions that it does not have,
   * because the reaper may not have removed them all.
   */
  async restoreAll(nodeId: string): Promise<LostSession[]> {
    const lost = await this.#restore(renumberRestored);
    await this.#endUnknown(nodeId, this.#deps.clock.now());
    return lost;
  }

  /** Re-records the sessions of this process that are missing, and ends recorded ones that it does not have. */
  async restoreMissing(nodeId: string): Promise<LostSession[]> {
    const now = this.#deps.clock.now();
    const lost = await this.#restore((db, some) => restoreMissingSessions(db, some, now));
    await this.#endUnknown(nodeId, now);
    return lost;
  }

  async #restore(
    restoreIn: (db: ConnectionsDeps["database"]["db"], some: NumberedSession[]) => Promise<RestoredRow[]>,
  ): Promise<LostSession[]> {
    const { latest, earlier } = this.#byClient();
    const lost = earlier.map(({ sessionId }): LostSession => ({ sessionId, reason: "takeover" }));
    for (const some of batchesOf(latest)) {
      const restored = await restoreIn(this.#deps.database.connects, some);
      const byId = new Map(restored.map((row) => [row.session_id, row]));
      for (const row of some) {
        const { sessionId } = row;
        const { seq, is_valid: valid } = byId.get(sessionId) ?? { ...row, is_valid: true };
        if (!this.#open.has(sessionId)) this.#presence.ended(row, undefined);
        else if (seq === null) lost.push({ sessionId, reason: valid ? "takeover" : endOf(row) });
        else this.#add({ ...row, seq });
      }
    }
    return lost;
  }

  /**
   * Groups the sessions of this process by whether they are their client's latest; only those can be missing. If a
   * client was at another process in between, its earlier session here may not be closed yet; it is not recorded again.
   */
  #byClient(): { latest: NumberedSession[]; earlier: NumberedSession[] } {
    const clients = new Set<string>();
    const { latest = [], earlier = [] } = Object.groupBy([...this.#open.values()].reverse(), ({ clientId }) => {
      if (clients.has(clientId)) return "earlier";
      clients.add(clientId);
      return "latest";
    });
    return { latest, earlier };
  }

  async #endUnknown(nodeId: string, at: Date): Promise<void> {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const recorded = await recordedSessions(this.#deps.database.connects, nodeId, after);
      for (const { clientId, sessionId, deviceUid, seq } of recorded) {
        if (this.#open.has(sessionId) || this.#opening.has(sessionId)) continue;
        const change = deviceUid === null ? undefined : { deviceUid, seq, at, reason: ENDED_EARLIER };
        this.#presence.ended({ clientId, sessionId }, change);
      }
      after = recorded.at(-1)?.clientId;
    }
  }

  async #record(row: NodeSessionRow): Promise<OpenedRow | undefined> {
    try {
      return await this.#openings.ask(row);
    } catch (error) {
      if (!isNodeIncomplete(error)) throw error;
    }
    await this.#complete();
    return await this.#openings.ask(row);
  }

  #add(row: NumberedSession): void {
    this.#open.set(row.sessionId, row);
    const { deviceUid, seq, connectedAt } = row;
    if (deviceUid !== null) this.#presence.online({ deviceUid, seq, at: connectedAt }, row.certificateId);
  }

  /**
   * Returns the wait for a replaced session in another process and for those that it was still waiting for itself, and
   * for nodes that may have an unrecorded one.
   */
  #succession({ clientId, sessionId }: SessionRow, opened: OpenedRow): OpenedSession["awaitReplaced"] {
    const { previous_session_id: replaced, previous_node_id: ofNode, has_unknown: hasUnknown } = opened;
    const isElsewhere = replaced !== null && (ofNode !== this.#node || this.#succeeding.has(replaced));
    if (!isElsewhere && !hasUnknown) return undefined;
    this.#succeeding.add(sessionId);
    return (notify) =>
      this.#drops
        .awaitReplaced({ clientId, sessionId }, isElsewhere ? replaced : undefined, notify)
        .finally(() => this.#succeeding.delete(sessionId));
  }

  /** Returns the replaced session; none if it is one of ours that has ended and whose row is not removed yet. */
  #predecessor(opened: OpenedRow): OpenedSession["previous"] {
    const sessionId = opened.previous_session_id;
    if (sessionId === null) return undefined;
    const here = opened.previous_node_id === this.#node;
    const hasEnded = here && !this.#open.has(sessionId) && !this.#opening.has(sessionId);
    return hasEnded ? undefined : { sessionId, here };
  }
}
