import { isUtf8 } from "node:buffer";
import { PacketProblem } from "./problem.ts";

/**
 * Checks that `bytes[start, end)` is well-formed UTF-8 without U+0000 [MQTT-1.5.3-1, MQTT-1.5.3-2] and without the
 * other control characters (U+0001 to U+001F, U+007F to U+009F), for which a server may close the connection.
 *
 * @throws {PacketProblem}
 */
export function checkText(bytes: Buffer, start: number, end: number, what: string): void {
  let ascii = true;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte < 0x20 || byte === 0x7f) throw new PacketProblem(`a control character in the ${what}`);
    if (byte < 0x80) continue;
    ascii = false;
    // U+0080 to U+009F are encoded as 0xC2 and a byte below 0xA0.
    if (byte === 0xc2 && at + 1 < end && bytes[at + 1]! < 0xa0) {
      throw new PacketProblem(`a control character in the ${what}`);
    }
  }
  if (!ascii && !isUtf8(bytes.subarray(start, end))) throw new PacketProblem(`the ${what} is not UTF-8`);
}
