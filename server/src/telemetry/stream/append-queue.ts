import { stream } from "../../lib/limits/stream.ts";
import type { StreamedMessage } from "./batch-format.ts";

/** A message whose sender waits until the stream has it. */
export interface Appending extends StreamedMessage {
  resolve(): void;
  reject(error: Error): void;
}

/** What a message takes in a batch beside its payload and its topic, at most. */
const HEAD_BYTES = 200;
/** Of a topic: JSON escapes quotes and backslashes. */
const BYTES_OF_BYTE = 2;

/** What waits to be appended to one partition: by tenant, of which a batch takes from each in turn, the oldest messages first. */
export class AppendQueue {
  /** In the order of their turns. */
  readonly #tenants = new Map<string, Appending[]>();

  get isEmpty(): boolean {
    return this.#tenants.size === 0;
  }

  add(appending: Appending): void {
    const { tenantId } = appending.message;
    const waiting = this.#tenants.get(tenantId);
    if (waiting) waiting.push(appending);
    else this.#tenants.set(tenantId, [appending]);
  }

  /**
   * The next batch: one message, or several that do not exceed its bytes, since NATS need not take more; of each tenant a limited share while several
   * send. A tenant whose message has no room is the first of the next batch.
   *
   * @param waits tenants of which nothing is taken now
   * @returns nothing where all of them wait
   */
  take(waits: (tenantId: string) => boolean = () => false): Appending[] {
    const batch: Appending[] = [];
    const share = this.#tenants.size > 1 ? stream.tenantBytesPerAppend.value : stream.bytesPerAppend.value;
    let room = stream.bytesPerAppend.value;
    for (const [tenantId, waiting] of [...this.#tenants]) {
      if (batch.length >= stream.messagesPerAppend.value) break;
      if (waits(tenantId)) continue;
      if (batch.length > 0 && sizeOf(waiting[0]!) > room) break;
      const count = fitting(waiting, Math.min(share, room), stream.messagesPerAppend.value - batch.length);
      const taken = waiting.splice(0, count);
      for (const appending of taken) room -= sizeOf(appending);
      batch.push(...taken);
      this.#tenants.delete(tenantId);
      if (waiting.length > 0) this.#tenants.set(tenantId, waiting);
    }
    return batch;
  }

  /** Removes and returns everything. */
  clear(): Appending[] {
    const all = [...this.#tenants.values()].flat();
    this.#tenants.clear();
    return all;
  }
}

/** How many messages fit into `bytes`, at least one. */
function fitting(waiting: readonly Appending[], bytes: number, most: number): number {
  let left = bytes - sizeOf(waiting[0]!);
  let count = 1;
  while (count < waiting.length && count < most && left >= sizeOf(waiting[count]!)) left -= sizeOf(waiting[count++]!);
  return count;
}

function sizeOf({ message }: Appending): number {
  return message.payload.length + Buffer.byteLength(message.topic) * BYTES_OF_BYTE + HEAD_BYTES;
}
