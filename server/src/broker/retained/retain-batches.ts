import type { NewRetained, RetainedMessages, RetainOutcome } from "../../connections/connections.ts";
import { type CoalescedRuns, coalesceRuns } from "../../lib/coalesce-runs.ts";
import type { Message } from "../message.ts";

interface Waiting {
  row: NewRetained;
  message: Message;
  resolve(outcome: RetainOutcome): void;
  reject(error: unknown): void;
}

export interface RetainBatchesDeps {
  retained: Pick<RetainedMessages, "write">;
  /** Called once a message is durable or refused, before its waiter continues. */
  onWritten(tenantId: string, ownerId: string, message: Message, outcome: RetainOutcome): void;
}

/** The number of tenants written concurrently. */
const WORKERS = 4;
/** The limit on messages per transaction. */
const BATCH = 200;
const BATCH_BYTES = 2 * 1024 * 1024;

/**
 * Writes messages to be retained: while one batch is written, the next one collects. Only the last message per topic is
 * written.
 */
export class RetainBatches {
  readonly #deps: RetainBatchesDeps;
  readonly #runs: CoalescedRuns;
  #waiting = new Map<string, Waiting[]>();

  constructor(deps: RetainBatchesDeps) {
    this.#deps = deps;
    this.#runs = coalesceRuns(() => this.#writeAll());
  }

  /** Resolves when the message is durable or refused. */
  add(tenantId: string, row: NewRetained, message: Message): Promise<RetainOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<RetainOutcome>();
    const ofTenant = this.#waiting.get(tenantId);
    const waiting = { row, message, resolve, reject };
    if (ofTenant) ofTenant.push(waiting);
    else this.#waiting.set(tenantId, [waiting]);
    void this.#runs.run();
    return promise;
  }

  async #writeAll(): Promise<void> {
    const tenants = [...this.#waiting];
    this.#waiting = new Map();
    const workers = Array.from({ length: WORKERS }, async () => {
      for (let next = tenants.shift(); next; next = tenants.shift()) await this.#writeTenant(...next);
    });
    await Promise.all(workers);
  }

  async #writeTenant(tenantId: string, waiting: Waiting[]): Promise<void> {
    for (let from = 0; from < waiting.length; ) {
      const part = nextPart(waiting, from);
      from += part.length;
      await this.#write(tenantId, part);
    }
  }

  async #write(tenantId: string, part: readonly Waiting[]): Promise<void> {
    const last = new Map(part.map((waiting) => [waiting.row.topic, waiting]));
    try {
      const written = [...last.values()];
      const outcomes = await this.#deps.retained.write(
        tenantId,
        written.map(({ row }) => row),
      );
      const byTopic = new Map(written.map(({ row }, n) => [row.topic, outcomes[n]!]));
      for (const { row, message } of written)
        this.#deps.onWritten(tenantId, row.ownerId, message, byTopic.get(row.topic)!);
      for (const { row, resolve } of part) resolve(byTopic.get(row.topic)!);
    } catch (error) {
      for (const { reject } of part) reject(error);
    }
  }
}

function nextPart(waiting: readonly Waiting[], from: number): Waiting[] {
  let bytes = 0;
  let to = from;
  while (to < waiting.length && to - from < BATCH && bytes < BATCH_BYTES) bytes += waiting[to++]!.row.payload.length;
  return waiting.slice(from, to);
}
