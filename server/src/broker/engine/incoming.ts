import type { RetainOutcome } from "../../connections/connections.ts";
import type { Route } from "../bus/bus.ts";
import type { PublishPacket } from "../codec/read-publish.ts";
import type { FirstArrival } from "../policy/policy.ts";
import type { Ordered } from "./in-order.ts";

/**
 * What becomes of a PUBLISH: it is stored; or only acknowledged, as a QoS 2 message that has been stored under its packet id; or denied by
 * its acknowledgement, which MQTT 5 has.
 */
export type Fate = "store" | "acknowledge" | "deny";

/** A PUBLISH between its arrival and its acknowledgement. */
export interface Incoming extends Ordered {
  packet: PublishPacket;
  /** What became of it as a message that is to be retained; `undefined` before that, and where it is not to be. */
  retained?: RetainOutcome["kind"];
  fate: Fate;
  /** Set when it is first to be stored: a commit whose answer was lost is then repeated with the same times. */
  arrival?: FirstArrival;
  /** It is stored, but perhaps not for every stored session. */
  isIngested?: boolean;
  /** Owners of stored sessions for whom it is stored. */
  storedFor?: Set<string>;
  /** Who takes it for the others, as it is settled. */
  route?: Route | undefined;
  /** Of the whole packet. */
  bytes: number;
}
