import type { DueWill } from "../../connections/connections.ts";
import { SECOND } from "../../lib/clock.ts";
import { coalesceRuns } from "../../lib/coalesce-runs.ts";
import { publishFor } from "../engine/end-session.ts";
import type { SessionDeps } from "../engine/session.ts";
import type { Principal } from "../policy/policy.ts";
import { messageOf } from "./stored-form.ts";

const POLL_MS = SECOND;

/** Publishes the wills whose delay is over, of whichever process: the database gives each to one. */
export class DelayedWills {
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
        .catch((error: Error) => this.#deps.logger.warn({ err: error.message }, "could not publish delayed wills"));
    }, POLL_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#runs.settled();
  }

  async #publishDue(): Promise<void> {
    const { stored } = this.#deps.persistence;
    for (;;) {
      const wills = await stored.leaseWills();
      if (wills.length === 0) return;
      for (const will of wills) {
        if (will.isPermitted)
          await publishFor(
            this.#deps,
            senderOf(will),
            messageOf(this.#deps, { ...will, expiresAt: null }),
            will.retain,
          );
        await stored.deleteWill(will.sessionId);
      }
    }
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
    subscribeFilters: new Set(),
  };
}
