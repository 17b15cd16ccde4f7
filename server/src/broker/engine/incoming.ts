import type { PublishPacket } from "../codec/read-publish.ts";
import type { Ordered } from "./in-order.ts";

/** A PUBLISH between its arrival and its acknowledgement. */
export interface Incoming extends Ordered {
  packet: PublishPacket;
  /** Whether it is retained. */
  retain: boolean;
  /** A QoS 2 message that has been stored under its packet id: it is acknowledged again and nothing else. */
  isRepeated: boolean;
  /** What it counts against the budgets until it is settled. */
  unsettled: number;
}
