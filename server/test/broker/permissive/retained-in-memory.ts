import type { RetainedMessages, VersionedMessage } from "../../../src/connections/connections.ts";

/** Keeps retained messages in memory, for a broker without a database. */
export function retainedInMemory(now: () => Date): RetainedMessages {
  const messages = new Map<string, VersionedMessage>();
  let version = 0;

  const isCurrent = ({ expiresAt }: VersionedMessage) => expiresAt === null || expiresAt > now();

  return {
    write: async (_tenantId, written) =>
      written.map((message) => {
        if (message.payload.length === 0) {
          messages.delete(message.topic);
          return { kind: "removed" };
        }
        version++;
        messages.set(message.topic, { ...message, payload: Buffer.from(message.payload), version });
        return { kind: "retained", version };
      }),
    async *all() {
      yield [...messages.values()].filter(isCurrent);
    },
    read: async (_tenantId, topics) => topics.flatMap((topic) => messages.get(topic) ?? []).filter(isCurrent),
    ownerOf: async () => undefined,
    onChange: async () => async () => undefined,
  };
}
