import { type AddressRange, addressBlock, isInRanges, withoutMapping } from "../address.ts";

/** The connections of one address block. */
interface Block {
  readonly name: string;
  /** Idle connections, the least recently used first. */
  readonly idle: Set<object>;
  readonly busy: Set<object>;
}

/**
 * The open connections by address block (IPv4 /32, IPv6 /64). If there are too many, the one to close is in the block
 * with the most: the least recently used idle one, if possible. A client that opens many connections therefore loses
 * its own, never another client's. Each connection from an exempt address is a block of its own. Every operation takes
 * constant time.
 */
export class ConnectionTable<Connection extends object> {
  readonly #exempt: readonly AddressRange[];
  readonly #blocks = new Map<string, Block>();
  readonly #blockOf = new Map<object, Block>();
  /** The blocks by their number of connections; the least recently changed first. */
  readonly #bySize: Set<Block>[] = [];
  #largest = 0;
  #exemptCount = 0;

  /** @param exempt addresses shared by many clients, such as those of proxies */
  constructor(exempt: readonly AddressRange[] = []) {
    this.#exempt = exempt;
  }

  get size(): number {
    return this.#blockOf.size;
  }

  /** Returns the number of connections from the block of `address`; 0 for an exempt one. */
  countOf(address: string): number {
    const block = this.#blocks.get(addressBlock(address));
    return block ? sizeOf(block) : 0;
  }

  add(connection: Connection, address: string): void {
    const name = this.#nameOf(address);
    const block = this.#blocks.get(name) ?? { name, idle: new Set(), busy: new Set() };
    this.#blocks.set(name, block);
    this.#blockOf.set(connection, block);
    const before = sizeOf(block);
    block.idle.add(connection);
    this.#resize(block, before);
  }

  /** Records whether the connection has work in progress; it becomes the most recently used one either way. */
  setBusy(connection: Connection, busy: boolean): void {
    const block = this.#blockOf.get(connection);
    if (!block) return;
    block.idle.delete(connection);
    block.busy.delete(connection);
    (busy ? block.busy : block.idle).add(connection);
    this.#resize(block, sizeOf(block));
  }

  /** Removes a connection. @returns false if the table does not contain it */
  remove(connection: Connection): boolean {
    const block = this.#blockOf.get(connection);
    if (!block) return false;
    const before = sizeOf(block);
    this.#blockOf.delete(connection);
    block.idle.delete(connection);
    block.busy.delete(connection);
    this.#resize(block, before);
    return true;
  }

  /** Returns the connection to close when the table has too many. */
  ofGreediest(): Connection | undefined {
    const [block] = this.#bySize[this.#largest] ?? [];
    return block && firstOf<Connection>(block);
  }

  /** Returns the connection to close when the block of `address` has too many: an idle one, if there is one. */
  idleOf(address: string): Connection | undefined {
    const [connection] = this.#blocks.get(addressBlock(address))?.idle ?? [];
    return connection as Connection | undefined;
  }

  *[Symbol.iterator](): IterableIterator<Connection> {
    yield* this.#blockOf.keys() as IterableIterator<Connection>;
  }

  #nameOf(address: string): string {
    const isExempt = this.#exempt.length > 0 && isInRanges(withoutMapping(address), this.#exempt);
    return isExempt ? `exempt ${this.#exemptCount++}` : addressBlock(address);
  }

  /** Moves a block to the others of its size. */
  #resize(block: Block, before: number): void {
    const size = sizeOf(block);
    this.#bySize[before]?.delete(block);
    if (size === 0) this.#blocks.delete(block.name);
    else this.#ofSize(size).add(block);
    if (size > this.#largest) this.#largest = size;
    else if (this.#largest === before && !this.#bySize[before]?.size) this.#largest = Math.min(before, size);
  }

  #ofSize(size: number): Set<Block> {
    const blocks = this.#bySize[size] ?? new Set();
    this.#bySize[size] = blocks;
    return blocks;
  }
}

function sizeOf({ idle, busy }: Block): number {
  return idle.size + busy.size;
}

function firstOf<Connection>({ idle, busy }: Block): Connection | undefined {
  const [first] = idle.size > 0 ? idle : busy;
  return first as Connection | undefined;
}
