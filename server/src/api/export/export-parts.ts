import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { isPage, type Walk } from "../../lib/page.ts";

/** Records per part: about 10 ms in the database, and about 300 kB in this process. */
export const PART = 500;

/**
 * Yields a list's records part by part, at most `exportRows`. Each part is read once the previous one has been
 * consumed.
 *
 * @param read reads the next part of the walk
 * @returns `true` at the end if there are more records than that
 */
export async function* exportedParts(
  read: (walk: Walk, limit: number) => Promise<unknown>,
  most = DEFAULT_LIMITS.exportRows,
): AsyncGenerator<readonly unknown[], boolean> {
  const walk: Walk = {};
  for (let left = most; !walk.ended; ) {
    const { place } = walk;
    // One row beyond the remaining room shows whether the list continues.
    const answer = await read(walk, Math.min(PART, left + 1));
    if (!isPage(answer)) throw new Error("only a list can be exported");
    const { items } = answer;
    if (!walk.ended && walk.place === place) {
      if (items.length > 0) throw new Error("the list does not advance its walk");
      return false;
    }
    if (items.length > left) {
      yield items.slice(0, left);
      return true;
    }
    left -= items.length;
    yield items;
  }
  return false;
}
