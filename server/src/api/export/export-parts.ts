import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { isPage, type Walk } from "../../lib/page.ts";

/** Records of one part: some 10 ms of the database, and some 300 kB here. */
export const PART = 500;

/**
 * The records of a list, part by part, at most `exportRows`; each part is read when the one before has been taken.
 *
 * @param read asks the list for the next part of the walk
 * @returns `true` at the end when there are more records than that
 */
export async function* exportedParts(
  read: (walk: Walk, limit: number) => Promise<unknown>,
  most = DEFAULT_LIMITS.exportRows,
): AsyncGenerator<readonly unknown[], boolean> {
  const walk: Walk = {};
  for (let left = most; !walk.ended; ) {
    const { place } = walk;
    // One more than there is room for shows that the list goes on.
    const answer = await read(walk, Math.min(PART, left + 1));
    if (!isPage(answer)) throw new Error("only a list can be exported");
    const { items } = answer;
    if (!walk.ended && walk.place === place) {
      if (items.length > 0) throw new Error("the list does not move its walk on");
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
