import { parts } from "../lib/batching/parts.ts";
import { CONNECTS_APART_MS, RequestBatcher } from "../lib/batching/request-batcher.ts";
import type { ConnectionsDeps } from "./deps.ts";
import type { Drops } from "./drops.ts";
import type { NodeLease } from "./nodes/node-lease.ts";
import type { Presence } from "./presence.ts";
import {
  isUnavailable,
  type NodeSessionRow,
  type OpenedRow,
  reinsertSessions,
  type SessionRow,
  upsertSessions,
} from "./session-store.ts";

const MOST_AT_ONCE = 64;
const NOTHING = { previous: undefined, awaitReplaced: undefined, hasCommands: false, hasStored: false, hasWill: false };

export type NewSession = Omit<SessionRow, "connectedAt">;

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
  readonly #open = new Map<string, SessionRow & { seq: string }>();
  /** Sessions whose statement is running: it may have been executed already, and a successor's answer may come first. */
  readonly #opening = new Set<string>();
  /** Sessions that wait until earlier ones of their client are closed. */
  readonly #succeeding = new Set<string>();
  #node: string | undefined;

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
      isOfAll: isUnavailable,
    });
  }

  setNode(nodeId: string | undefined): void {
    this.#node = nodeId;
  }

  async openSession(session: NewSession): Promise<OpenedSession> {
    const node = this.#node;
    if (node === undefined) throw new Error("this process serves no MQTT: startNode() was not called");
    const { term } = this.#lease;
    if (term === undefined)
      throw new Error("this node has no lease: the database has stored no heartbeat of it lately");
    const row = { ...session, connectedAt: this.#deps.clock.now() };
    this.#opening.add(row.sessionId);
    const opened = await this.#openings
      .ask({ ...row, nodeId: node })
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

  /** Writes every session of this process again. @returns those that another process has taken over since, or that are not valid any more */
  async restore(nodeId: string): Promise<{ sessionId: string; reason: string }[]> {
    const rows = [...this.#open.values()];
    const lost: { sessionId: string; reason: string }[] = [];
    for (const some of parts(rows)) {
      const restored = await reinsertSessions(this.#deps.database.connects, nodeId, some);
      for (const row of some) {
        const { seq, isValid } = restored.get(row.sessionId)!;
        const { sessionId } = row;
        if (!this.#open.has(sessionId)) this.#presence.ended(row, undefined);
        else if (seq === null) lost.push({ sessionId, reason: isValid ? "takeover" : endOf(row) });
        else this.#add({ ...row, seq });
      }
    }
    return lost;
  }

  #add(row: SessionRow & { seq: string }): void {
    this.#open.set(row.sessionId, row);
    const { deviceUid, seq, connectedAt } = row;
    if (deviceUid !== null) this.#presence.online({ deviceUid, seq, at: connectedAt }, row.certificateId);
  }

  /** Waits for the replaced session at another process; and for those that one of this process still waited for, if that is the replaced one. */
  #succession({ clientId, sessionId }: SessionRow, opened: OpenedRow): OpenedSession["awaitReplaced"] {
    const replaced = opened.previous_session_id;
    if (replaced === null) return undefined;
    if (opened.previous_node_id === this.#node && !this.#succeeding.has(replaced)) return undefined;
    this.#succeeding.add(sessionId);
    return (notify) =>
      this.#drops
        .awaitReplaced({ clientId, sessionId }, replaced, notify)
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
