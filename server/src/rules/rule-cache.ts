import type { Database, Db } from "../db/database.ts";
import { RecentMap } from "../lib/collections/recent-map.ts";
import type { VersionOf } from "../telemetry/telemetry.ts";
import { NO_METRICS, toDevice } from "./device-of-row.ts";
import type { DeviceRules } from "./device-rules.ts";
import { PackCache, type PackEntry } from "./pack-cache.ts";
import { loadDeviceRows } from "./rule-state-store.ts";

/** The channel for changes to the rules of devices: a uid for one device, an empty payload for all. */
const CHANGED = "muster_rules";
/** The channel for changed or deleted packs, by id. Empty after notifications may have been missed. */
const PACK_CHANGED = "muster_packs";
/** Far more devices than one process serves. An evicted device is loaded again with its next message. */
const MAX_DEVICES = 200_000;

/**
 * A cache of everything that evaluation needs for this process's devices: their rules, rule states, and the newest
 * reading of each metric. The database has the last word: a batch evaluated from an outdated entry is refused when it
 * is stored, and the entry is loaded again.
 */
export interface RuleCache {
  /**
   * Returns the rules of these devices for one batch. A single statement loads all that are missing or have another
   * version.
   *
   * @returns `undefined` if the stored state of a device with rules has another version as well
   */
  rulesOf(
    uids: ReadonlySet<string>,
    versionOf: VersionOf,
    db?: Db,
  ): Promise<ReadonlyMap<string, DeviceRules> | undefined>;
  /** Drops these devices, because it is unknown whether their batch was stored. */
  forget(uids: Iterable<string>): void;
}

export const createRuleCache = (database: Pick<Database, "db" | "listen">): RuleCache => new DeviceCache(database);

class DeviceCache implements RuleCache {
  readonly #database: Pick<Database, "db" | "listen">;
  readonly #devices = new RecentMap<string, CachedDevice>(MAX_DEVICES);
  readonly #packs = new PackCache();
  #listening: Promise<unknown> | undefined;
  /** Counts the notifications: anything loaded while one arrived may be older than it. */
  #changes = 0;

  constructor(database: Pick<Database, "db" | "listen">) {
    this.#database = database;
  }

  async rulesOf(
    uids: ReadonlySet<string>,
    versionOf: VersionOf,
    db: Db = this.#database.db,
  ): Promise<ReadonlyMap<string, DeviceRules> | undefined> {
    const found = new Map<string, DeviceRules>();
    const missing: string[] = [];
    for (const uid of uids) {
      const cached = this.#current(uid);
      if (cached !== undefined && isOf(cached, versionOf(uid).before)) found.set(uid, cached);
      else missing.push(uid);
    }
    if (missing.length === 0) return found;
    for (const device of await this.#load(db, missing)) {
      if (!isOf(device, versionOf(device.uid).before)) return undefined;
      found.set(device.uid, device);
    }
    return found;
  }

  forget(uids: Iterable<string>): void {
    for (const uid of uids) {
      // Devices are loaded with the newest readings of the metrics in their packs, so their packs must be reloaded with
      // them.
      const cached = this.#devices.get(uid);
      if (cached === undefined) this.#packs.clear();
      for (const pack of cached?.packs ?? []) this.#packs.forget(pack);
      this.#devices.delete(uid);
    }
  }

  /** Returns a cached device, unless one of its packs has changed since it was loaded. */
  #current(uid: string): DeviceRules | undefined {
    const cached = this.#devices.get(uid);
    if (cached === undefined || this.#packs.areCurrent(cached.packs, cached.entries)) return cached?.rules;
    this.#devices.delete(uid);
    return undefined;
  }

  async #load(db: Db, uids: readonly string[]): Promise<DeviceRules[]> {
    await this.#listen();
    const before = this.#changes;
    const rows = await loadDeviceRows(db, uids);
    const rules = await this.#packs.rulesOf(db, new Set(rows.flatMap((row) => row.packs ?? [])));
    const known = new Map(rows.map((row) => [row.uid, { rules: toDevice(row, rules), packs: row.packs ?? [] }]));
    const loaded = uids.map((uid) => known.get(uid) ?? { rules: { ...NO_RULES, uid }, packs: [] });
    if (this.#changes === before) for (const device of loaded) this.#keep(device);
    return loaded.map((device) => device.rules);
  }

  #keep(device: Omit<CachedDevice, "entries">): void {
    this.#devices.set(device.rules.uid, { ...device, entries: this.#packs.entriesOf(device.packs) });
  }

  async #listen(): Promise<void> {
    this.#listening ??= Promise.all([
      this.#database.listen(CHANGED, (uid) => this.#onChange(uid)),
      this.#database.listen(PACK_CHANGED, (id) => this.#onPackChange(id)),
    ]);
    await this.#listening.catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    });
  }

  #onChange(uid: string): void {
    this.#changes++;
    if (uid === "") this.#devices.clear();
    else this.#devices.delete(uid);
  }

  #onPackChange(id: string): void {
    if (id === "") {
      this.#packs.clear();
      this.#onChange("");
      return;
    }
    this.#changes++;
    this.#packs.forget(id);
  }
}

const NO_RULES: Omit<DeviceRules, "uid"> = { version: 0, silent: false, metrics: NO_METRICS, derived: undefined };

interface CachedDevice {
  rules: DeviceRules;
  packs: readonly string[];
  /** The entries of `packs` when the device was loaded. */
  entries: readonly (PackEntry | undefined)[];
}

/** Checks the version. A device without rules has no state that could be outdated. */
function isOf({ metrics, version }: DeviceRules, expected: number): boolean {
  return metrics.size === 0 || version === expected;
}
