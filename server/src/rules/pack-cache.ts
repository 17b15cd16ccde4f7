import type { Db } from "../db/database.ts";
import { RecentMap } from "../lib/collections/recent-map.ts";
import type { PackRule } from "./device-rules.ts";
import { readyFor } from "./ready-rule.ts";
import { hasMetadataLimit } from "./rule.ts";
import { loadPacks, type PackRow } from "./rule-state-store.ts";

/** The packs of all tenants whose devices send here. The devices of an evicted pack are loaded again. */
const MAX_PACKS = 100_000;

/** The shared state of an unchanged pack. Devices loaded with the currently cached entry have the current revision. */
export interface PackEntry {
  rules: PackRule[];
}

/** Caches the rules of the packs of cached devices. One statement loads all that are missing. */
export class PackCache {
  readonly #packs = new RecentMap<string, PackEntry>(MAX_PACKS);
  /** The number of notifications so far, and the number at which all packs, or each pack, last changed. */
  #changes = 0;
  #allChanged = 0;
  readonly #changed = new RecentMap<string, number>(MAX_PACKS);

  clear(): void {
    this.#allChanged = ++this.#changes;
    this.#packs.clear();
  }

  forget(id: string): void {
    this.#changed.set(id, ++this.#changes);
    this.#packs.delete(id);
  }

  entriesOf(ids: readonly string[]): (PackEntry | undefined)[] {
    return ids.map((id) => this.#packs.get(id));
  }

  /** Checks whether these packs still have the given entries. */
  areCurrent(ids: readonly string[], entries: readonly (PackEntry | undefined)[]): boolean {
    return ids.every((id, n) => entries[n] !== undefined && this.#packs.get(id) === entries[n]);
  }

  /**
   * Returns the rules of these packs; a disabled pack has none. A pack that changes while being loaded is not cached.
   */
  async rulesOf(db: Db, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, PackRule[]>> {
    const found = new Map<string, PackRule[]>();
    const missing: string[] = [];
    for (const id of ids) {
      const entry = this.#packs.get(id);
      if (entry === undefined) missing.push(id);
      else found.set(id, entry.rules);
    }
    if (missing.length === 0) return found;
    const before = this.#changes;
    const loaded = new Map((await loadPacks(db, missing)).map((pack) => [pack.id, rulesOfPack(pack)]));
    for (const id of missing) {
      const rules = loaded.get(id) ?? [];
      found.set(id, rules);
      if (this.#allChanged <= before && (this.#changed.get(id) ?? 0) <= before) this.#packs.set(id, { rules });
    }
    return found;
  }
}

function rulesOfPack({ id, revision, rules }: PackRow): PackRule[] {
  return rules.map((rule) => {
    const ready = hasMetadataLimit(rule) ? undefined : readyFor(rule, {});
    return { thresholdId: id, revision, rule, ready };
  });
}
