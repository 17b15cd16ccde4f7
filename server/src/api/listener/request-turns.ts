import { UniqueQueue } from "../../lib/collections/unique-queue.ts";
import type { GatedBlock, GatedConnection } from "./gated-connection.ts";

/** A queue of a block's connections. */
type Kind = "known" | "unknown" | "writing";

/**
 * The connections whose next request, or next part of an answer, is due; the address blocks take turns, and so do the
 * connections within a block.
 */
export class RequestTurns {
  readonly #kind: Kind;
  readonly #blocks = new UniqueQueue<GatedBlock>();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  get isEmpty(): boolean {
    return this.#blocks.size === 0;
  }

  add(connection: GatedConnection): void {
    connection.block[this.#kind].add(connection);
    this.#blocks.add(connection.block);
  }

  /**
   * Takes the next connection of a block that `may` have another request; other blocks are skipped, and keep their
   * place.
   */
  take(may: (block: GatedBlock) => boolean): GatedConnection | undefined {
    for (let left = this.#blocks.size; left > 0; left--) {
      const block = this.#blocks.take()!;
      const due = block[this.#kind];
      if (due.size === 0) continue;
      if (!may(block)) {
        this.#blocks.add(block);
        continue;
      }
      const connection = due.take()!;
      if (due.size > 0) this.#blocks.add(block);
      return connection;
    }
    return undefined;
  }
}
