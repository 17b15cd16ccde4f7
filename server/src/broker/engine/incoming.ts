import type { RetainOutcome } from "../../connections/connections.ts";
import type { PublishPacket } from "../codec/read-publish.ts";
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
  /** Owners of stored sessions for which it was queued, as they were not connected. */
  queuedFor?: ReadonlySet<string>;
  /** Of the whole packet. */
  bytes: number;
}
