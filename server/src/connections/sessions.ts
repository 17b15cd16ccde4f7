import type { ConnectionsDeps } from "./deps.ts";
import type { Presence } from "./presence.ts";
import { type OpenedRow, reinsertSessions, type SessionRow, upsertSession } from "./session-store.ts";

export type NewSession = Omit<SessionRow, "connectedAt">;

export interface OpenedSession {
  /** The session of the same client id that this one has replaced, and whether it lives in this process. */
  previous: { sessionId: string; here: boolean } | undefined;
}

export interface Sessions {
  openSession(session: NewSession): Promise<OpenedSession>;
  closeSession(sessionId: string, reason: string): void;
  /** Tells the database again of every session here; resolves with those that somebody else has taken over meanwhile. */
  restore(nodeId: string): Promise<string[]>;
  setNode(nodeId: string | undefined): void;
}

/** The sessions of this process and their rows; the row decides who is the one of its client id. */
export function createSessions({ database, clock }: ConnectionsDeps, presence: Presence): Sessions {
  const open = new Map<string, SessionRow & { seq: string }>();
  /** Their statement is under way; it may have been carried out already, and a successor's answer may come first. */
  const opening = new Set<string>();
  let node: string | undefined;

  function remember(row: SessionRow & { seq: string }): void {
    open.set(row.sessionId, row);
    const { deviceUid, seq, connectedAt } = row;
    if (deviceUid !== null) presence.online({ deviceUid, seq, at: connectedAt }, row.certificateId);
  }

  /** Whom the session replaces. One of ours whose end is told already, and not yet written, is nobody any more. */
  function predecessor(opened: OpenedRow): OpenedSession["previous"] {
    const sessionId = opened.previous_session_id;
    const here = opened.previous_node_id === node;
    if (sessionId === null) return undefined;
    const isOver = here && !open.has(sessionId) && !opening.has(sessionId);
    return isOver ? undefined : { sessionId, here };
  }

  return {
    setNode(nodeId) {
      node = nodeId;
    },

    async openSession(session) {
      if (node === undefined) throw new Error("this process serves no MQTT: startNode() was not called");
      const row = { ...session, connectedAt: clock.now() };
      opening.add(row.sessionId);
      const opened = await upsertSession(database.connects, node, row)
        .catch((error: unknown) => {
          // The statement may have been carried out although its answer got lost.
          presence.ended(row, undefined);
          throw error;
        })
        .finally(() => opening.delete(row.sessionId));
      remember({ ...row, seq: opened.seq });
      return { previous: predecessor(opened) };
    },

    closeSession(sessionId, reason) {
      const row = open.get(sessionId);
      if (!row) return;
      open.delete(sessionId);
      const { deviceUid, seq } = row;
      presence.ended(row, deviceUid === null ? undefined : { deviceUid, seq, at: clock.now(), reason });
    },

    async restore(nodeId) {
      const rows = [...open.values()];
      const back = await reinsertSessions(database.connects, nodeId, rows);
      const lost: string[] = [];
      for (const row of rows) {
        const seq = back.get(row.sessionId);
        if (!open.has(row.sessionId)) presence.ended(row, undefined);
        else if (seq === undefined) lost.push(row.sessionId);
        else remember({ ...row, seq });
      }
      return lost;
    },
  };
}
