import type {
  DueWill,
  KnownSession,
  ResumedSession,
  RetainedMessages,
  StoredMessage,
  StoredSessions,
} from "../../../src/connections/connections.ts";

interface Stored extends Pick<ResumedSession, "subscriptions" | "incomingIds" | "messages"> {
  tenantId: string;
  sessionId: string;
  /** `undefined` while its client is connected. */
  expiresAt: Date | undefined;
}

const MOST = 100;

type Handler = (ownerId: string) => void;

/**
 * Keeps stored sessions in memory, for brokers without a database.
 * @param most messages per session
 * @param retained the store in which wills are retained
 */
export function storedInMemory(now: () => Date, most = MOST, retained?: RetainedMessages): StoredSessions {
  const sessions = new Map<string, Stored>();
  const wills = new Map<string, Omit<DueWill, "dueAt"> & { dueAt: Date | undefined }>();
  let position = 0;

  const handlers = { changed: new Set<Handler>(), added: new Set<Handler>() };

  function notify(what: keyof typeof handlers, ownerId: string): void {
    setImmediate(() => {
      for (const handler of handlers[what]) handler(ownerId);
    });
  }

  async function listen(what: keyof typeof handlers, handler: Handler) {
    handlers[what].add(handler);
    return async () => void handlers[what].delete(handler);
  }

  function known(ownerId: string): KnownSession | undefined {
    const session = sessions.get(ownerId);
    if (!session || (session.expiresAt && session.expiresAt <= now())) return undefined;
    const { tenantId, subscriptions, expiresAt = null } = session;
    return { ownerId, tenantId, subscriptions, expiresAt };
  }

  function add(ownerId: string, messages: Parameters<StoredSessions["enqueue"]>[1]): number {
    const session = sessions.get(ownerId);
    if (!session) return messages.length;
    const fitting = messages.slice(0, most - session.messages.length);
    for (const { packetId = null, released = false, expiresAt = null, ...message } of fitting)
      session.messages.push({ ...message, packetId, released, expiresAt, position: `${++position}` } as StoredMessage);
    if (!session.expiresAt) notify("added", ownerId);
    return messages.length - fitting.length;
  }

  return {
    hasRoom: async () => true,
    keepWill: async () => undefined,
    takeWill: async () => true,
    endEarlierWills: async () => undefined,
    hasEarlierWill: async () => false,
    async resume({ ownerId, tenantId, sessionId, clean, will }) {
      const known = sessions.get(ownerId);
      const isPresent = known !== undefined && !clean && (known.expiresAt === undefined || known.expiresAt > now());
      const kept = isPresent ? known : { subscriptions: [], incomingIds: [], messages: [] };
      const session = { ...kept, tenantId, sessionId, expiresAt: undefined };
      sessions.set(ownerId, session);
      notify("changed", ownerId);
      for (const former of wills.values()) {
        if (former.ownerId !== ownerId) continue;
        if (isPresent) wills.delete(former.sessionId);
        else former.dueAt = now();
      }
      if (will) wills.set(sessionId, { ...will, isPermitted: true, leasedUntil: now(), dueAt: undefined });
      const messages = session.messages.filter(({ expiresAt }) => expiresAt === null || expiresAt > now());
      return { isPresent, subscriptions: session.subscriptions, incomingIds: session.incomingIds, messages };
    },
    async writeSubscriptions({ ownerId, sessionId }, subscriptions) {
      const session = sessions.get(ownerId);
      if (session?.sessionId !== sessionId) return;
      session.subscriptions = [...subscriptions];
      notify("changed", ownerId);
    },
    async part({ ownerId, sessionId, expirySeconds, incomingIds, sent, messages, will }) {
      const session = sessions.get(ownerId);
      if (session?.sessionId !== sessionId) return undefined;
      const delayed = wills.get(sessionId);
      if (delayed && will === "due") delayed.dueAt = new Date(now().getTime() + delayed.delaySeconds * 1_000);
      if (will === "void") wills.delete(sessionId);
      session.expiresAt = new Date(now().getTime() + expirySeconds * 1_000);
      session.incomingIds = incomingIds;
      notify("changed", ownerId);
      for (const { position: at, ...state } of sent)
        Object.assign(session.messages.find((message) => message.position === at) ?? {}, state);
      return add(ownerId, messages);
    },
    async leaseWills() {
      const due = [...wills.values()].flatMap(({ dueAt, ...will }) =>
        dueAt && dueAt <= now() ? [{ ...will, dueAt }] : [],
      );
      for (const { sessionId } of due) wills.delete(sessionId);
      return due;
    },
    async completeWill({ tenantId }, messages) {
      const refused = messages.stored.reduce((sum, message) => sum + add(message.ownerId, [message]), 0);
      const outcomes = messages.retained && (await retained?.write(tenantId, [messages.retained]));
      return { refused, retained: outcomes?.[0] };
    },
    async discard(ownerId, sessionId) {
      for (const will of wills.values()) if (will.ownerId === ownerId) will.dueAt = now();
      if (sessionId !== undefined) wills.delete(sessionId);
      if (sessionId === undefined || sessions.get(ownerId)?.sessionId === sessionId) sessions.delete(ownerId);
      notify("changed", ownerId);
    },
    enqueue: async (_tenantId, messages) =>
      messages.reduce((refused, message) => refused + add(message.ownerId, [message]), 0),
    async deleteMessages(positions) {
      for (const session of sessions.values())
        session.messages = session.messages.filter((message) => !positions.includes(message.position));
    },
    async readAdded({ ownerId, sessionId }, after) {
      const session = sessions.get(ownerId);
      if (session?.sessionId !== sessionId) return [];
      return session.messages.filter((message) => Number(message.position) > Number(after));
    },
    async *all() {
      for (const ownerId of sessions.keys()) {
        const session = known(ownerId);
        if (session) yield session;
      }
    },
    read: async (ownerId) => known(ownerId),
    onChange: (handler) => listen("changed", handler),
    onAdded: (handler) => listen("added", handler),
  };
}
