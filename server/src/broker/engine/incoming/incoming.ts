import type { RetainOutcome } from "../../../connections/connections.ts";
import type { Route } from "../../bus/bus.ts";
import type { PublishPacket } from "../../codec/read-publish.ts";
import type { FirstArrival } from "../../policy/policy.ts";
import type { Ordered } from "../in-order.ts";

/**
 * The decision about a PUBLISH: store it; only acknowledge it, as a repeated QoS 2 message; or deny it in its
 * acknowledgement, which only MQTT 5 supports.
 */
export type Fate = "store" | "acknowledge" | "deny";

/** A PUBLISH between its arrival and its acknowledgement. */
export interface Incoming extends Ordered {
  packet: PublishPacket;
  /** The outcome of retaining it; `undefined` before that, and if it is not to be retained. */
  retained?: RetainOutcome["kind"];
  fate: Fate;
  /** The reason nothing of it is stored as telemetry. */
  refusal?: string | undefined;
  /** Set on the first attempt to store it: a commit whose answer was lost is then repeated with the same times. */
  arrival?: FirstArrival;
  /** Whether it is stored, though perhaps not for every stored session. */
  isIngested?: boolean;
  /** The owners of stored sessions for whom it is stored. */
  storedFor?: Set<string>;
  /** Its route to the other owners, set when it is finished. */
  route?: Route | undefined;
  /** The length of the whole packet. */
  bytes: number;
}
