import { ACK_BYTES, type AckType, writeAck } from "../../codec/writers.ts";

const BLOCK_BYTES = 64 * ACK_BYTES;

/** The packets that one session sends in this turn of the event loop. Consecutive acknowledgements share a block. */
export class OutBuffer {
  #packets: Buffer[] = [];
  #block: Buffer | undefined;
  #used = 0;
  bytes = 0;

  packet(packet: Buffer): void {
    this.#closeBlock();
    this.#packets.push(packet);
    this.bytes += packet.length;
  }

  ack(type: AckType, packetId: number): void {
    if (this.#used === BLOCK_BYTES) this.#closeBlock();
    this.#block ??= Buffer.allocUnsafe(BLOCK_BYTES);
    writeAck(this.#block, this.#used, type, packetId);
    this.#used += ACK_BYTES;
    this.bytes += ACK_BYTES;
  }

  /** Returns all packets in one piece and empties the buffer. */
  take(): Buffer {
    this.#closeBlock();
    const packets = this.#packets;
    this.#packets = [];
    this.bytes = 0;
    return packets.length === 1 ? packets[0]! : Buffer.concat(packets);
  }

  #closeBlock(): void {
    if (!this.#block) return;
    this.#packets.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}
