import type { Limits } from "../../lib/limits/limits.ts";
import type { GatedBlock, GatedConnection } from "./gated-connection.ts";

export type UnsentLimits = Pick<Limits, "httpsUnsentBytesOfAddress" | "httpsUnsentBytes">;

/**
 * Counts the bytes of unsent answers per address block and in the process, and closes the connection of the slowest
 * reader when there are too many.
 */
export class UnsentAnswers {
  readonly #limits: UnsentLimits;
  readonly #blocks: ReadonlyMap<string, GatedBlock>;
  readonly #close: (connection: GatedConnection) => void;
  #bytes = 0;

  constructor(
    limits: UnsentLimits,
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
    if (block.unsentBytes > this.#limits.httpsUnsentBytesOfAddress) this.#closeSlowest(block);
    if (this.#bytes > this.#limits.httpsUnsentBytes) this.#closeSlowest(this.#blockWithMost());
  }

  /** Subtracts the bytes of a closed connection. */
  forget(connection: GatedConnection): void {
    this.#recount(connection);
  }

  /** @returns the increase in bytes */
  #recount(connection: GatedConnection): number {
    const more = connection.countUnsent();
    connection.block.unsentBytes += more;
    this.#bytes += more;
    return more;
  }

  #blockWithMost(): GatedBlock | undefined {
    let most: GatedBlock | undefined;
    for (const block of this.#blocks.values()) if (block.unsentBytes > (most?.unsentBytes ?? 0)) most = block;
    return most;
  }

  /** Closes the slowest reader, after recounting the bytes that others have sent since. */
  #closeSlowest(block: GatedBlock | undefined): void {
    if (!block) return;
    for (const each of block.connections) this.#recount(each);
    const { httpsUnsentBytesOfAddress, httpsUnsentBytes } = this.#limits;
    const isTooMuch = block.unsentBytes > httpsUnsentBytesOfAddress || this.#bytes > httpsUnsentBytes;
    const slowest = isTooMuch ? block.slowest() : undefined;
    if (slowest) this.#close(slowest);
  }
}
