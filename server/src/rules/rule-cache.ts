import type { Database, Db } from "../db/database.ts";
import { RecentMap } from "../lib/recent-map.ts";
import type { VersionOf } from "../telemetry/telemetry.ts";
import type { DeviceMetric, DeviceRule, DeviceRules, PackRule } from "./device-rules.ts";
import { compileRule } from "./evaluate-rule.ts";
import { type DeviceRow, loadDeviceRows, loadPacks, type PackRow } from "./rule-state-store.ts";

/** The database notifies here which rules devices have: of a device, by its uid, or of all devices, by an empty payload (migration 0014). */
const CHANGED = "muster_rules";
/** The database notifies here that a pack changed or was deleted, by its id (migration 0062); empty after notifications may have been missed. */
const PACK_CHANGED = "muster_packs";
/** Far more devices than one process serves. One that is dropped is loaded again with its next message. */
const MAX_DEVICES = 200_000;
/** Those of all tenants whose devices send here. A device whose pack is dropped is loaded again. */
const MAX_PACKS = 100_000;
const NO_METRICS: ReadonlyMap<string, DeviceMetric> = new Map();

/**
 * What evaluating the devices of this process needs, in memory: their rules, the state of each, and the newest reading of each
 * metric. The database decides: a batch that was evaluated from an outdated entry is refused when it is stored, and the entry is
 * loaded again.
 */
export interface RuleCache {
  /**
   * The rules of these devices, for one batch; a single statement loads all that are missing, or are of another version.
   *
   * @returns `undefined` when the stored state of a device with rules is of another version, too
   */
  rulesOf(
    uids: ReadonlySet<string>,
    versionOf: VersionOf,
    db?: Db,
  ): Promise<ReadonlyMap<string, DeviceRules> | undefined>;
  /** Drops these devices: it is unknown whether their batch was stored. */
  forget(uids: Iterable<string>): void;
}

export function createRuleCache(database: Pick<Database, "db" | "listen">): RuleCache {
  const devices = new RecentMap<string, CachedDevice>(MAX_DEVICES);
  const packs = createPackCache();
  let listening: Promise<unknown> | undefined;
  /** How many notifications have arrived: what was loaded while one arrived may be older than it. */
  let changes = 0;

  function onChange(uid: string): void {
    changes++;
    if (uid === "") devices.clear();
    else devices.delete(uid);
    // Also from a process of the version before, for a pack.
    if (uid === "") packs.clear();
  }

  function onPackChange(id: string): void {
    changes++;
    if (id !== "") packs.forget(id);
    else onChange("");
  }

  async function listen(): Promise<void> {
    listening ??= Promise.all([database.listen(CHANGED, onChange), database.listen(PACK_CHANGED, onPackChange)]);
    await listening.catch((error: unknown) => {
      listening = undefined;
      throw error;
    });
  }

  async function load(db: Db, uids: readonly string[]): Promise<DeviceRules[]> {
    await listen();
    const before = changes;
    const rows = await loadDeviceRows(db, uids);
    const rules = await packs.rulesOf(db, new Set(rows.flatMap((row) => row.packs ?? [])));
    const known = new Map(rows.map((row) => [row.uid, { rules: toDevice(row, rules), packs: row.packs ?? [] }]));
    const loaded = uids.map((uid) => known.get(uid) ?? { rules: { ...NO_RULES, uid }, packs: [] });
    const isCurrent = changes === before;
    if (isCurrent)
      for (const device of loaded) devices.set(device.rules.uid, { ...device, entries: packs.entriesOf(device.packs) });
    return loaded.map((device) => device.rules);
  }

  /** A cached device, unless one of its packs has changed since. */
  function current(uid: string): DeviceRules | undefined {
    const cached = devices.get(uid);
    if (cached === undefined || packs.areCurrent(cached)) return cached?.rules;
    devices.delete(uid);
    return undefined;
  }

  return {
    async rulesOf(uids, versionOf, db = database.db) {
      const found = new Map<string, DeviceRules>();
      const missing: string[] = [];
      for (const uid of uids) {
        const cached = current(uid);
        if (cached !== undefined && isOf(cached, versionOf(uid).before)) found.set(uid, cached);
        else missing.push(uid);
      }
      if (missing.length === 0) return found;
      for (const device of await load(db, missing)) {
        if (!isOf(device, versionOf(device.uid).before)) return undefined;
        found.set(device.uid, device);
      }
      return found;
    },
    forget(uids) {
      for (const uid of uids) {
        // A device is loaded with the newest readings of what its packs name now, so its packs are loaded with it.
        const cached = devices.get(uid);
        if (cached === undefined) packs.clear();
        for (const pack of cached?.packs ?? []) packs.forget(pack);
        devices.delete(uid);
      }
    },
  };
}

const NO_RULES: Omit<DeviceRules, "uid"> = { version: 0, silent: false, metrics: NO_METRICS };

/** What devices share of a pack that has not changed: as long as it is the cached one, they are of its revision. */
interface PackEntry {
  rules: PackRule[];
}

interface CachedDevice {
  rules: DeviceRules;
  packs: readonly string[];
  /** Of `packs`, when the device was loaded. */
  entries: readonly (PackEntry | undefined)[];
}

/** The rules of the packs that cached devices have; one statement loads all that are missing. */
function createPackCache() {
  const packs = new RecentMap<string, PackEntry>(MAX_PACKS);
  /** Notifications since the start, and when all packs and each that is being loaded changed last. */
  let changes = 0;
  let allChanged = 0;
  const changed = new RecentMap<string, number>(MAX_PACKS);
  return {
    clear(): void {
      allChanged = ++changes;
      packs.clear();
    },
    forget(id: string): void {
      changed.set(id, ++changes);
      packs.delete(id);
    },
    entriesOf: (ids: readonly string[]): (PackEntry | undefined)[] => ids.map((id) => packs.get(id)),
    areCurrent: ({ packs: ids, entries }: CachedDevice): boolean =>
      ids.every((id, n) => entries[n] !== undefined && packs.get(id) === entries[n]),
    /** The rules of these packs; a disabled pack has none. What changed while it was loaded is not kept. */
    async rulesOf(db: Db, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, PackRule[]>> {
      const found = new Map<string, PackRule[]>();
      for (const id of ids) found.set(id, packs.get(id)?.rules ?? []);
      const missing = [...ids].filter((id) => packs.get(id) === undefined);
      if (missing.length === 0) return found;
      const before = changes;
      const loaded = new Map((await loadPacks(db, missing)).map((pack) => [pack.id, rulesOfPack(pack)]));
      for (const id of missing) {
        const rules = loaded.get(id) ?? [];
        found.set(id, rules);
        if (allChanged <= before && (changed.get(id) ?? 0) <= before) packs.set(id, { rules });
      }
      return found;
    },
  };
}

function rulesOfPack({ id, revision, rules }: PackRow): PackRule[] {
  return rules.map((rule) => ({ thresholdId: id, revision, rule, compiled: compileRule(rule) }));
}

/** A device without rules has no state that could be outdated. */
function isOf({ metrics, version }: DeviceRules, expected: number): boolean {
  return metrics.size === 0 || version === expected;
}

function toDevice(row: DeviceRow, packs: ReadonlyMap<string, PackRule[]>): DeviceRules {
  const open = new Set(row.open ?? []);
  const states = new Map((row.states ?? []).map((state) => [state.rule, state]));
  const latest = new Map((row.latest ?? []).map(({ metric, time }) => [metric, time]));
  const metrics = new Map<string, DeviceMetric>();
  for (const packRule of (row.packs ?? []).flatMap((id) => packs.get(id) ?? [])) {
    const { id, metric: name } = packRule.rule;
    const newest = latest.get(name) ?? Number.NEGATIVE_INFINITY;
    const metric = metrics.get(name) ?? { newest, rules: [] };
    metric.rules.push({ ...packRule, state: stateOf(open.has(id), states.get(id)), transition: undefined });
    metrics.set(name, metric);
  }
  const version = Number(row.version);
  return { uid: row.uid, version, silent: open.has(null), metrics: metrics.size > 0 ? metrics : NO_METRICS };
}

/** The anomaly decides whether the rule is open; a stored state that contradicts it is ignored. */
function stateOf(
  open: boolean,
  stored: { phase: "pending" | "clearing"; since: number } | undefined,
): DeviceRule["state"] {
  if (stored && (stored.phase === "clearing") === open) return { phase: stored.phase, since: stored.since };
  return { phase: open ? "open" : "ok", since: 0 };
}
