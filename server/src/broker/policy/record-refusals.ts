import type { Connections, Refusal, RefusalReason } from "../../connections/connections.ts";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import type { Metrics } from "../../lib/metrics/metrics.ts";
import type { ConnectAnswer, ConnectRequest, Principal, RefusedConnect } from "./policy.ts";

export interface RefusalsDeps {
  connections: Pick<Connections, "recordRefusal">;
  metrics: Pick<Metrics, "refusals">;
}

/** The subject of a refusal, as far as it is known. A refusal without a tenant appears in no tenant's journal. */
export type RefusalSubject = Pick<Refusal, "tenantId" | "deviceId" | "serialNumber" | "fingerprintSha256">;

/** The number of different forbidden topics recorded per session, each once. A client may repeat them at any rate. */
const MAX_RECORDED_TOPICS = DEFAULT_LIMITS.refusedTopics;

/** Counts the policy's refusals and records them in the refusal journal. */
export class Refusals {
  readonly #connections: RefusalsDeps["connections"];
  readonly #metrics: RefusalsDeps["metrics"];
  readonly #recordedTopics = new WeakMap<Principal, Set<string>>();

  constructor({ connections, metrics }: RefusalsDeps) {
    this.#connections = connections;
    this.#metrics = metrics;
  }

  /** Counts and records a refused CONNECT. */
  refuse(
    { clientId, remoteAddress }: Pick<ConnectRequest, "clientId" | "remoteAddress">,
    reason: RefusalReason,
    answer: ConnectAnswer,
    concerned: RefusalSubject & Pick<Refusal, "topic" | "tlsVersion"> = {},
  ): RefusedConnect {
    this.record({ reason, clientId, remoteAddress, ...concerned });
    return { allow: false, reason, answer };
  }

  /** Counts a session's refused topic or filter and records it once, up to a number of topics. */
  refuseTopic(principal: Principal, topic: string, reason: RefusalReason): void {
    const recorded = this.#recordedTopics.get(principal) ?? new Set<string>();
    if (recorded.has(topic) || recorded.size >= MAX_RECORDED_TOPICS) {
      this.count(reason);
      return;
    }
    this.#recordedTopics.set(principal, recorded.add(topic));
    this.record({ reason, clientId: principal.clientId, ...subjectOf(principal), topic });
  }

  record(refusal: Refusal): void {
    this.count(refusal.reason);
    this.#connections.recordRefusal(refusal);
  }

  /** Counts a refusal that the journal cannot or need not contain. */
  count(reason: RefusalReason): void {
    this.#metrics.refusals.inc({ reason });
  }
}

export function subjectOf(principal: Principal): RefusalSubject {
  const { tenantId, deviceUid, clientId, serialNumber } = principal;
  return { tenantId, deviceId: deviceUid === undefined ? undefined : clientId, serialNumber };
}
