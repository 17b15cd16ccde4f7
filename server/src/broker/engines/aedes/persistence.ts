import type { Aedes, PublishPacket } from "aedes";

/** The part of aedes' persistence that we use; its types leave it out. */
interface Persistence {
  /** Rejects where the client has no such message in flight. */
  incomingGetPacket(client: { id: string }, packet: PublishPacket): Promise<unknown>;
  /** Keeps the message until its PUBREL. */
  incomingStorePacket(client: { id: string }, packet: Partial<PublishPacket>): Promise<void>;
  /** Keeps the message, or removes the one on its topic where its payload is empty. */
  storeRetained(packet: Pick<PublishPacket, "topic" | "payload">): Promise<void>;
}

export function persistenceOf(aedes: Aedes): Persistence {
  return (aedes as unknown as { persistence: Persistence }).persistence;
}

const EMPTY = Buffer.alloc(0);

/** Keeps of a QoS 2 message only its packet id until PUBREL. aedes has passed it on when it was published. */
export function keepOnlyIds(aedes: Aedes): void {
  const persistence = persistenceOf(aedes);
  const store = persistence.incomingStorePacket.bind(persistence);
  persistence.incomingStorePacket = (client, packet) => store(client, { ...packet, topic: "", payload: EMPTY });
}

export async function removeRetained(aedes: Aedes, topics: readonly string[]): Promise<void> {
  for (const topic of topics) await persistenceOf(aedes).storeRetained({ topic, payload: Buffer.alloc(0) });
}
