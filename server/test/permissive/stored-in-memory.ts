import type {
  DueWill,
  OfflineSession,
  ResumedSession,
  StoredMessage,
  StoredSessions,
} from "../../src/connections/connections.ts";

interface Stored extends Pick<ResumedSession, "subscriptions" | "incomingIds" | "messages"> {
  tenantId: string;
  sessionId: string;
  /** `undefined` while its client is connected. */
  expiresAt: Date | undefined;
}

const MOST = 100;

/** Stored sessions for as long as the process runs, for a broker without a database. */
export function storedInMemory(now: () => Date): StoredSessions {
  const sessions = new Map<string, Stored>();
  const wills = new Map<string, DueWill & { dueAt: Date | undefined }>();
  let position = 0;

  function offline(ownerId: string): OfflineSession | undefined {
    const session = sessions.get(ownerId);
    if (!session?.expiresAt || session.expiresAt <= now()) return undefined;
    return { ownerId, tenantId: session.tenantId, subscriptions: session.subscriptions, expiresAt: session.expiresAt };
  }

  function add(ownerId: string, messages: Parameters<StoredSessions["enqueue"]>[1]): number {
    const session = sessions.get(ownerId);
    if (!session) return messages.length;
    const fitting = messages.slice(0, MOST - session.messages.length);
    for (const { packetId = null, released = false, expiresAt = null, ...message } of fitting)
      session.messages.push({ ...message, packetId, released, expiresAt, position: `${++position}` } as StoredMessage);
    return messages.length - fitting.length;
  }

  return {
    hasRoom: async () => true,
    async resume({ ownerId, tenantId, sessionId, clean, will }) {
      const known = sessions.get(ownerId);
      const isPresent = known !== undefined && !clean && (known.expiresAt === undefined || known.expiresAt > now());
      const kept = isPresent ? known : { subscriptions: [], incomingIds: [], messages: [] };
      const session = { ...kept, tenantId, sessionId, expiresAt: undefined };
      sessions.set(ownerId, session);
      for (const former of wills.values()) {
        if (former.ownerId !== ownerId) continue;
        if (isPresent) wills.delete(former.sessionId);
        else former.dueAt = now();
      }
      if (will) wills.set(sessionId, { ...will, isPermitted: true, dueAt: undefined });
      const messages = session.messages.filter(({ expiresAt }) => expiresAt === null || expiresAt > now());
      return { isPresent, subscriptions: session.subscriptions, incomingIds: session.incomingIds, messages };
    },
    async writeSubscriptions({ ownerId, sessionId }, subscriptions) {
      const session = sessions.get(ownerId);
      if (session?.sessionId === sessionId) session.subscriptions = [...subscriptions];
    },
    async part({ ownerId, sessionId, expirySeconds, incomingIds, sent, messages, will }) {
      const session = sessions.get(ownerId);
      if (session?.sessionId !== sessionId) return undefined;
      const delayed = wills.get(sessionId);
      if (delayed && will === "due") delayed.dueAt = new Date(now().getTime() + delayed.delaySeconds * 1_000);
      if (will === "void") wills.delete(sessionId);
      session.expiresAt = new Date(now().getTime() + expirySeconds * 1_000);
      session.incomingIds = incomingIds;
      for (const { position: at, ...state } of sent)
        Object.assign(session.messages.find((message) => message.position === at) ?? {}, state);
      return add(ownerId, messages);
    },
    async leaseWills() {
      const due = [...wills.values()].filter(({ dueAt }) => dueAt !== undefined && dueAt <= now());
      for (const { sessionId } of due) wills.delete(sessionId);
      return due;
    },
    deleteWill: async () => undefined,
    async discard(ownerId, sessionId) {
      for (const will of wills.values()) if (will.ownerId === ownerId) will.dueAt = now();
      if (sessionId !== undefined) wills.delete(sessionId);
      if (sessionId === undefined || sessions.get(ownerId)?.sessionId === sessionId) sessions.delete(ownerId);
    },
    enqueue: async (_tenantId, messages) =>
      messages.reduce((refused, message) => refused + add(message.ownerId, [message]), 0),
    async deleteMessages(positions) {
      for (const session of sessions.values())
        session.messages = session.messages.filter((message) => !positions.includes(message.position));
    },
    async *allOffline() {},
    readOffline: async (ownerId) => offline(ownerId),
    onChange: async () => async () => undefined,
  };
}
