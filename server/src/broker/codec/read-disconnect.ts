import { Cursor, type Frame } from "./cursor.ts";
import { PacketProblem } from "./problem.ts";
import type { Properties } from "./property-table.ts";
import { readProperties } from "./read-properties.ts";

export interface DisconnectPacket {
  /** 0 is a normal disconnection; 4 asks for the will to be published anyway. */
  reason: number;
  properties: Properties | undefined;
}

/** The reasons that a client may send (MQTT 5, 3.14.2.1). */
const REASONS: ReadonlySet<number> = new Set([
  0, 4, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99,
]);

/**
 * Reads a DISCONNECT (MQTT 5, 3.14). A reason that only a server may send closes the connection without an answer.
 * @throws {PacketProblem}
 */
export function readDisconnect5(frame: Frame): DisconnectPacket {
  const cursor = new Cursor(frame);
  if (cursor.isAtEnd) return { reason: 0, properties: undefined };
  const reason = cursor.byte();
  if (!REASONS.has(reason)) throw new PacketProblem("a reason code", "unanswered");
  const properties = cursor.isAtEnd ? undefined : readProperties(cursor, "disconnect");
  if (!cursor.isAtEnd) throw new PacketProblem("bytes after a DISCONNECT");
  // Only a server sends a reference.
  if (properties?.serverReference !== undefined)
    throw new PacketProblem("a server reference from a client", "unanswered");
  return { reason, properties };
}
