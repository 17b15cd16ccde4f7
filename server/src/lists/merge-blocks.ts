export interface Block {
  /** The newest key of its range. */
  readonly upto: string;
  readonly size: number;
}

/** The divisor of the newer rows that limits a block's size. */
const PART = 128;

/**
 * Returns which neighbors become one block: those that together have no more rows than a new block, or than a 128th of
 * all newer rows. There are thus few blocks however long the list is (about 128 × (1 + ln(rows / 65,536))), and finding
 * a page scans less than a 128th of the rows that it skips.
 *
 * @param newestFirst all counted blocks
 * @returns `kept`: the blocks that absorbed others, with their new sizes; `gone`: the `upto` of the absorbed ones
 */
export function mergeableBlocks(newestFirst: readonly Block[], block: number): { kept: Block[]; gone: string[] } {
  const kept: Block[] = [];
  const gone: string[] = [];
  let newer = 0;
  let [current, grown] = [newestFirst[0], false];
  for (const next of newestFirst.slice(1)) {
    if (current !== undefined && current.size + next.size <= Math.max(block, newer / PART)) {
      current = { upto: current.upto, size: current.size + next.size };
      gone.push(next.upto);
      grown = true;
      continue;
    }
    if (current !== undefined && grown) kept.push(current);
    newer += current?.size ?? 0;
    [current, grown] = [next, false];
  }
  if (current !== undefined && grown) kept.push(current);
  return { kept, gone };
}
