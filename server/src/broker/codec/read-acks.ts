import type { Frame } from "./cursor.ts";
import { PacketProblem } from "./problem.ts";

/** The packet id of a PUBACK, PUBREC, PUBREL or PUBCOMP (MQTT 3.1.1, 3.4 to 3.7). Throws {@link PacketProblem}. */
export function readAck({ bytes, bodyStart, end }: Frame): number {
  if (end - bodyStart !== 2) throw new PacketProblem("an acknowledgement has two bytes");
  const id = (bytes[bodyStart]! << 8) | bytes[bodyStart + 1]!;
  // [MQTT-2.3.1-1]
  if (id === 0) throw new PacketProblem("packet id 0");
  return id;
}

/** Checks that a PINGREQ or DISCONNECT has no body (MQTT 3.1.1, 3.12, 3.14). Throws {@link PacketProblem}. */
export function checkNoBody({ bodyStart, end }: Frame): void {
  if (bodyStart !== end) throw new PacketProblem("this packet has no body");
}
