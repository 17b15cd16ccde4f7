import { stream } from "../../lib/limits/stream.ts";
import type { StreamedMessage } from "./batch-format.ts";

/** A message whose sender waits until the stream has stored it. */
export interface Appending extends StreamedMessage {
  resolve(): void;
  reject(error: Error): void;
}

/** The most bytes that a message adds to a batch in addition to its payload and topic. */
const HEAD_BYTES = 200;
/** The expansion of a topic: JSON escapes quotes and backslashes. */
const BYTES_OF_BYTE = 2;

/** The backlog of one partition, by tenant. A batch takes from the tenants in turn, oldest messages first. */
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
   * Takes the next batch: one message of any size, or several within the size that NATS must accept. While several
   * tenants send, each gets a limited share. A tenant whose message does not fit comes first in the next batch.
   *
   * @param waits selects tenants from which nothing is taken now
   * @returns nothing if all of them wait
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

  /** Removes and returns all messages. */
  clear(): Appending[] {
    const all = [...this.#tenants.values()].flat();
    this.#tenants.clear();
    return all;
  }
}

/** Counts the messages that fit into `bytes`, at least one. */
function fitting(waiting: readonly Appending[], bytes: number, most: number): number {
  let left = bytes - sizeOf(waiting[0]!);
  let count = 1;
  while (count < waiting.length && count < most && left >= sizeOf(waiting[count]!)) left -= sizeOf(waiting[count++]!);
  return count;
}

function sizeOf({ message }: Appending): number {
  return message.payload.length + Buffer.byteLength(message.topic) * BYTES_OF_BYTE + HEAD_BYTES;
}
