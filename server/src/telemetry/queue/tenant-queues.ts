import type { Pace } from "../../lib/batching/pace.ts";
import { ingest as caps } from "../../lib/limits/ingest.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import { BatchTime } from "./batch-time.ts";
import type { Isolation } from "./isolation.ts";
import type { PendingMessage } from "./pending-message.ts";
import { type Budget, MAX_BATCH_MESSAGES, TenantQueue } from "./tenant-queue.ts";

/** Rows and bytes of a tenant that add hardly any time to a batch. */
const LITTLE = { rows: 16, bytes: 16 * 1024 };
const MAX_PAUSE_MS = 250;
/** A tenant that has sent nothing for this long does not count as sharing this process. */
const FORGET_TENANT_MS = 60_000;

/**
 * Messages taken to be stored together. Nothing else is taken from their tenants until {@link TenantQueues.release}.
 */
export interface Batch {
  queues: readonly TenantQueue[];
  messages: readonly PendingMessage[];
  /** Whether it belongs to one isolated tenant. */
  isolated: boolean;
}

export interface QueuesDeps {
  isolation: Isolation;
  limits: Pick<Limits, "tenantRowsPerBatch">;
}

/**
 * The waiting messages of a shard, by tenant. A batch takes from the tenants in turn, with a limited share for each
 * while several send. An isolated tenant has batches of its own.
 */
export class TenantQueues {
  readonly #deps: QueuesDeps;
  readonly #queues = new Map<string, TenantQueue>();
  readonly #time = new BatchTime();
  /** The queues to take from, in turn order. */
  readonly #shared = new Set<TenantQueue>();
  readonly #isolated = new Set<TenantQueue>();
  #forgottenAt = 0;

  constructor(deps: QueuesDeps) {
    this.#deps = deps;
  }

  get hasShared(): boolean {
    return this.#shared.size > 0;
  }

  get hasIsolated(): boolean {
    return this.#isolated.size > 0;
  }

  /** Whether several tenants have sent messages in the last minute. */
  get areSeveral(): boolean {
    return this.#queues.size > 1;
  }

  add(pending: PendingMessage): void {
    const queue = this.#queueOf(pending.message.tenantId);
    queue.push(pending);
    if (queue.size === 1) this.#schedule(queue);
  }

  /**
   * Ends a batch that took `ms`. Its tenants get further turns behind those already waiting. A tenant that spent its
   * share pauses for as long as the batch took, leaving half of the CPU and database time to the others; its next share
   * is smaller if that was too long.
   *
   * @param resumed called when a pause has ended
   */
  release({ queues }: Batch, ms: number, resumed: () => void): void {
    if (queues.every(({ tookLittle }) => tookLittle)) this.#time.recordSmall(ms);
    for (const queue of queues) {
      if (this.areSeveral && queue.hasSpentShare) {
        queue.pace.record(ms, this.#time.targetMs);
        setTimeout(
          () => {
            this.#resume(queue);
            resumed();
          },
          Math.min(ms, MAX_PAUSE_MS),
        );
      } else this.#resume(queue);
    }
  }

  #resume(queue: TenantQueue): void {
    queue.busy = false;
    this.#schedule(queue);
  }

  /** Iterates over the messages from which the next shared batch is taken. */
  *shared(): Iterable<PendingMessage> {
    for (const queue of this.#shared) yield* queue;
  }

  takeShared(): Batch {
    this.#forgetTenants();
    const budget = fullBudget();
    const messages: PendingMessage[] = [];
    const queues: TenantQueue[] = [];
    for (const queue of this.#shared) {
      if (isSpent(budget)) break;
      this.#shared.delete(queue);
      if (this.#deps.isolation.has(queue.tenantId)) {
        this.#isolated.add(queue);
        continue;
      }
      this.#take(queue, budget, messages);
      queues.push(queue);
    }
    return { queues, messages, isolated: false };
  }

  /** Returns the next batch of the isolated tenant whose turn it is. */
  takeIsolated(): Batch {
    const messages: PendingMessage[] = [];
    const [queue] = this.#isolated as Iterable<TenantQueue> as [TenantQueue];
    this.#isolated.delete(queue);
    this.#take(queue, fullBudget(), messages);
    return { queues: [queue], messages, isolated: true };
  }

  *[Symbol.iterator](): Iterator<PendingMessage> {
    for (const queue of this.#queues.values()) yield* queue;
  }

  #queueOf(tenantId: string): TenantQueue {
    let queue = this.#queues.get(tenantId);
    if (queue === undefined) {
      queue = new TenantQueue(tenantId, performance.now());
      this.#queues.set(tenantId, queue);
    }
    return queue;
  }

  #schedule(queue: TenantQueue): void {
    if (queue.busy || queue.size === 0) return;
    const turns = this.#deps.isolation.has(queue.tenantId) ? this.#isolated : this.#shared;
    turns.add(queue);
  }

  /** Takes the tenant's share, which is part of the batch while other tenants send too. */
  #take(queue: TenantQueue, budget: Budget, into: PendingMessage[]): void {
    const { tenantRowsPerBatch } = this.#deps.limits;
    const share = this.areSeveral ? shareOf(budget, tenantRowsPerBatch, queue.pace) : budget;
    const { messages, rows, bytes } = share;
    queue.take(share, into);
    queue.busy = true;
    queue.tookLittle = rows - share.rows <= LITTLE.rows && bytes - share.bytes <= LITTLE.bytes;
    queue.hasSpentShare = isSpent(share);
    queue.takenAt = performance.now();
    if (share === budget) return;
    budget.messages -= messages - share.messages;
    budget.rows -= rows - share.rows;
    budget.bytes -= bytes - share.bytes;
  }

  #forgetTenants(): void {
    const now = performance.now();
    if (!this.areSeveral || now - this.#forgottenAt < FORGET_TENANT_MS) return;
    this.#forgottenAt = now;
    for (const [id, queue] of this.#queues) {
      if (queue.size === 0 && !queue.busy && now - queue.takenAt >= FORGET_TENANT_MS) this.#queues.delete(id);
    }
  }
}

function fullBudget(): Budget {
  return { messages: MAX_BATCH_MESSAGES, rows: caps.rowsPerBatch.value, bytes: caps.bytesPerBatch.value };
}

function shareOf({ messages, rows, bytes }: Budget, tenantRows: number, pace: Pace): Budget {
  return {
    messages,
    rows: Math.min(rows, pace.of(tenantRows)),
    bytes: Math.min(bytes, pace.of(caps.tenantBytesPerBatch.value)),
  };
}

function isSpent({ messages, rows, bytes }: Budget): boolean {
  return messages <= 0 || rows <= 0 || bytes <= 0;
}
