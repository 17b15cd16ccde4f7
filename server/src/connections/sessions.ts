import { parts } from "../lib/batching/parts.ts";
import { CONNECTS_APART_MS, RequestBatcher } from "../lib/batching/request-batcher.ts";
import type { ConnectionsDeps } from "./deps.ts";
import type { Drops } from "./drops/drops.ts";
import { isOfIncomplete } from "./nodes/complete-store.ts";
import type { NodeLease } from "./nodes/node-lease.ts";
import {
  type NumberedSession,
  type RestoredRow,
  recordedSessions,
  renumberRestored,
  restoreMissingSessions,
} from "./nodes/restore-store.ts";
import type { Presence } from "./presence.ts";
import {
  isUnavailable,
  type NodeSessionRow,
  type OpenedRow,
  type SessionRow,
  upsertSessions,
} from "./session-store.ts";

const MOST_AT_ONCE = 64;
const NOTHING = { previous: undefined, awaitReplaced: undefined, hasCommands: false, hasStored: false, hasWill: false };

export type NewSession = Omit<SessionRow, "connectedAt">;

/** A session of this process that is to end: another process has taken it over, or it is not valid any more. */
export interface LostSession {
  sessionId: string;
  reason: string;
}

export interface OpenedSession {
  /** The session of the same client id that this one has replaced, and whether it belongs to this process. */
  previous: { sessionId: string; here: boolean } | undefined;
  /** Commands may wait for the device. */
  hasCommands: boolean;
  /** The client has a stored session. */
  hasStored: boolean;
  /** A will without a delay of an earlier connection is stored. */
  hasWill: boolean;
  /** Resolves when the earlier sessions of the client at other processes are closed, or have not been in time; see `Drops`. */
  awaitReplaced: ((notify: (sessionId: string) => void) => Promise<boolean>) | undefined;
  /** Why the session is not recorded: what it was to be opened with has been revoked or disabled since it was authorized. */
  ended?: string;
}

/** Of a recorded session that this process does not have. */
const ENDED_EARLIER = "connection_lost";
const REVOKED = "certificate revoked";
const DISABLED = "client_disabled";

/** Why a session ends that is not valid any more. */
const endOf = ({ deviceUid }: SessionRow): string => (deviceUid === null ? DISABLED : REVOKED);

/** The sessions of this process and their rows; the row decides which session is the current one of its client id. */
export class Sessions {
  readonly #deps: ConnectionsDeps;
  readonly #presence: Presence;
  readonly #lease: NodeLease;
  readonly #drops: Pick<Drops, "awaitReplaced">;
  readonly #openings: RequestBatcher<NodeSessionRow, OpenedRow | undefined>;
  readonly #open = new Map<string, NumberedSession>();
  /** Sessions whose statement is running: it may have been executed already, and a successor's answer may come first. */
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
      // A statement can change a row once only.
      keysOf: ({ clientId }) => [clientId],
      run: (rows) => upsertSessions(deps.database.connects, rows),
      isOfAll: (error) => isUnavailable(error) || isOfIncomplete(error),
    });
  }

  setNode(nodeId: string | undefined): void {
    this.#node = nodeId;
  }

  /** Registers what records the sessions again that a crash of the database has taken back: none is opened before. */
  onIncomplete(complete: () => Promise<void>): void {
    this.#complete = complete;
  }

  async openSession(session: NewSession): Promise<OpenedSession> {
    const node = this.#node;
    if (node === undefined) throw new Error("this process serves no MQTT: startNode() was not called");
    const { term } = this.#lease;
    if (term === undefined)
      throw new Error("this node has no lease: the database has stored no heartbeat of it lately");
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
      throw new Error("the lease of this node ended while the session was recorded");
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

  /** Records every session of this process again, of a node that was reaped, and ends the recorded ones that it does not have: not all may be removed. */
  async restoreAll(nodeId: string): Promise<LostSession[]> {
    const lost = await this.#restore(renumberRestored);
    await this.#endUnknown(nodeId, this.#deps.clock.now());
    return lost;
  }

  /** Records the sessions of this process again that are not recorded, and ends the recorded ones that it does not have. */
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
    for (const some of parts(latest)) {
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
   * The sessions of this process, the latest first: of these some are missing. Of a client that was at another process in between, the one before may not be closed
   * yet; it is recorded no more.
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
      if (!isOfIncomplete(error)) throw error;
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
   * Waits for the replaced session at another process; for those that one of this process still waited for, if that is the replaced one; and
   * for nodes that may have one that is not recorded.
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

  /** The replaced session; none when it is one of ours that has ended and whose row is not removed yet. */
  #predecessor(opened: OpenedRow): OpenedSession["previous"] {
    const sessionId = opened.previous_session_id;
    if (sessionId === null) return undefined;
    const here = opened.previous_node_id === this.#node;
    const hasEnded = here && !this.#open.has(sessionId) && !this.#opening.has(sessionId);
    return hasEnded ? undefined : { sessionId, here };
  }
}
