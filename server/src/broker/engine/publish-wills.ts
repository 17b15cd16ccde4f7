import type { CompletedWill, DueWill } from "../../connections/connections.ts";
import { SECOND } from "../../lib/clock.ts";
import { coalesceRuns } from "../../lib/coalesce-runs.ts";
import type { Message } from "../message.ts";
import { NO_FILTERS } from "../policy/granted-filters.ts";
import type { Principal } from "../policy/policy.ts";
import { messageOf } from "../sessions/stored-form.ts";
import { publishStored } from "./end-session.ts";
import { isRetained } from "./retain.ts";
import type { SessionDeps } from "./session.ts";

const POLL_MS = SECOND;
/** The number and interval of checks whether another process has published a will. */
const EARLIER_ATTEMPTS = 40;
const EARLIER_MS = 50;
/**
 * The number of these checks for which a process may take to delete the will: after a normal end it must not be
 * published.
 */
const ENDING_ATTEMPTS = 20;

/** Publishes due wills from any process: the database hands each to exactly one. */
export class WillPublisher {
  readonly #deps: SessionDeps;
  readonly #runs = coalesceRuns(() => this.#publishDue());
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#runs
        .run()
        .catch((error: Error) => this.#deps.logger.warn({ err: error.message }, "could not publish wills"));
    }, POLL_MS).unref();
  }

  /**
   * Publishes the wills of a client's earlier connections whose process crashed. Resolves when they are published, by
   * any process, or after two seconds: the client's next messages come after them.
   *
   * @param mayEnd whether the last connection's process may still be storing its end
   */
  async publishEarlier(ownerId: string, sessionId: string, mayEnd: boolean): Promise<void> {
    const { stored } = this.#deps.persistence;
    for (let attempt = 0; attempt < EARLIER_ATTEMPTS; attempt++) {
      if (attempt === (mayEnd ? ENDING_ATTEMPTS : 0)) await stored.endEarlierWills(ownerId, sessionId);
      await this.#runs.run();
      if (!(await stored.hasEarlierWill(ownerId, sessionId))) return;
      await new Promise((resolve) => setTimeout(resolve, EARLIER_MS));
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#runs.idle();
  }

  async #publishDue(): Promise<void> {
    const { stored } = this.#deps.persistence;
    for (;;) {
      const wills = await stored.leaseWills();
      if (wills.length === 0) return;
      const byOwner = Map.groupBy(wills, ({ ownerId }) => ownerId);
      await Promise.all([...byOwner.values()].map((ofOwner) => this.#publishInOrder(ofOwner)));
    }
  }

  async #publishInOrder(wills: readonly DueWill[]): Promise<void> {
    for (const will of wills) await this.#publish(will);
  }

  /**
   * Stores a will's effects exactly once, even if a process is killed or slow and another one starts over. Its readings
   * get the time at which the will was due. Its retained message and its messages for stored sessions are stored in the
   * transaction that deletes the will. After that, one process forwards it.
   */
  async #publish(will: DueWill): Promise<void> {
    const { persistence, policy, router } = this.#deps;
    const { stored, routes } = persistence;
    if (!will.isPermitted) {
      await stored.completeWill(will, { stored: [], retained: undefined });
      return;
    }
    const { tenantId, topic, payload, dueAt } = will;
    const sender = senderOf(will);
    const message = messageOf(this.#deps, { ...will, expiresAt: null });
    await policy.storeMessage(sender, topic, payload, { nowMs: dueAt.getTime() });
    const routed = { tenantId, message, retain: will.retain, storedFor: new Set<string>() };
    const retained = will.retain ? this.#deps.retained.rowOf(sender, message) : undefined;
    const isOurs = await routes.storeAs(routed, async (messages) => {
      const completed = await stored.completeWill(will, { stored: messages, retained });
      if (!completed) return false;
      routed.retain = this.#completed(sender, message, completed);
      return true;
    });
    if (isOurs) await publishStored({ persistence, router }, routed);
  }

  /** @returns whether the message is retained */
  #completed(sender: Principal, message: Message, { refused, retained }: CompletedWill): boolean {
    const { persistence, policy } = this.#deps;
    if (refused > 0) persistence.onUnstored(refused);
    if (!retained) return false;
    this.#deps.retained.wasRetained(sender, message, retained);
    if (retained.kind === "quota") policy.recordUnretained(sender, message.topic);
    return isRetained(retained.kind);
  }
}

function senderOf({ tenantId, tenantSlug, clientId, ownerId, isDevice, topic }: DueWill): Principal {
  return {
    tenantId,
    tenantSlug,
    clientId,
    deviceUid: isDevice ? ownerId : undefined,
    mqttClientId: isDevice ? undefined : ownerId,
    certificateId: undefined,
    serialNumber: undefined,
    publishTopics: new Set([topic]),
    subscribeFilters: NO_FILTERS,
  };
}
