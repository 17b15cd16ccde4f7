import type { Limits } from "../../lib/limits/limits.ts";
import type { GatedBlock, GatedConnection } from "./gated-connection.ts";

export type BufferLimits = Pick<Limits, "httpsUnsentBytesOfAddress" | "httpsUnsentBytes">;

/**
 * Counts the bytes of unsent answers and unparsed requests per address block and in the process, and closes the
 * connection of the slowest reader when there are too many.
 */
export class BufferedBytes {
  readonly #limits: BufferLimits;
  readonly #blocks: ReadonlyMap<string, GatedBlock>;
  readonly #close: (connection: GatedConnection) => void;
  #bytes = 0;

  constructor(
    limits: BufferLimits,
    blocks: ReadonlyMap<string, GatedBlock>,
    close: (connection: GatedConnection) => void,
  ) {
    this.#limits = limits;
    this.#blocks = blocks;
    this.#close = close;
  }

  /** Recounts the bytes of a connection, after some were written or sent. */
  count(connection: GatedConnection): void {
    const { block } = connection;
    if (this.#recount(connection) <= 0) return;
    if (block.bufferedBytes > this.#limits.httpsUnsentBytesOfAddress) this.#closeSlowest(block);
    if (this.#bytes > this.#limits.httpsUnsentBytes) this.#closeSlowest(this.#blockWithMost());
  }

  /** Subtracts the bytes of a closed connection. */
  forget(connection: GatedConnection): void {
    this.#recount(connection);
  }

  /** @returns the increase in bytes */
  #recount(connection: GatedConnection): number {
    const more = connection.countBuffered();
    connection.block.bufferedBytes += more;
    this.#bytes += more;
    return more;
  }

  #blockWithMost(): GatedBlock | undefined {
    let most: GatedBlock | undefined;
    for (const block of this.#blocks.values()) if (block.bufferedBytes > (most?.bufferedBytes ?? 0)) most = block;
    return most;
  }

  /** Closes the slowest reader, after recounting the bytes that others have sent since. */
  #closeSlowest(block: GatedBlock | undefined): void {
    if (!block) return;
    for (const each of block.connections) this.#recount(each);
    const { httpsUnsentBytesOfAddress, httpsUnsentBytes } = this.#limits;
    const isTooMuch = block.bufferedBytes > httpsUnsentBytesOfAddress || this.#bytes > httpsUnsentBytes;
    const slowest = isTooMuch ? block.slowest() : undefined;
    if (slowest) this.#close(slowest);
  }
}
