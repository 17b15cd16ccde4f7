import type { Database, Db } from "../db/database.ts";
import type { PackRule, WatchedDevice, WatchedMetric, WatchedRule } from "./device-rules.ts";
import { judgeOf } from "./evaluate-rule.ts";
import { loadPacks, loadWatches, type WatchRow } from "./rule-state-store.ts";

/** The database says here whose rules have changed: a device's uid, or nothing for everybody's (migration 0009). */
const CHANGED = "muster_rules";
/** Far more devices than one process serves; forgetting them all costs one look at each. */
const MAX_REMEMBERED = 200_000;
const NOTHING: ReadonlyMap<string, WatchedMetric> = new Map();

/**
 * What judging the devices of this process needs, kept in memory: their rules, where each stands, and the newest reading of
 * each metric. The truth is in the database; what is remembered wrongly is found out when a batch is stored, and loaded again.
 */
export interface Watches {
  /** Of each of these devices, for a batch; one statement for all that are not remembered. */
  of(uids: ReadonlySet<string>, db?: Db): Promise<WatchedBatch>;
  /** Has them loaded again: what became of their batch is not known. */
  forget(uids: Iterable<string>): void;
}

export interface WatchedBatch {
  /** A number that no other batch has. */
  batch: number;
  devices: ReadonlyMap<string, WatchedDevice>;
}

export function createWatches(database: Pick<Database, "db" | "listen">): Watches {
  const devices = new Map<string, WatchedDevice>();
  const packs = new Map<string, PackRule[]>();
  let listening: Promise<unknown> | undefined;
  /** Counts the changes heard of: what is loaded while one arrives may be older than it. */
  let changes = 0;
  let batches = 0;

  function changed(uid: string): void {
    changes++;
    if (uid === "") {
      devices.clear();
      packs.clear();
    } else devices.delete(uid);
  }

  async function listen(): Promise<void> {
    listening ??= database.listen(CHANGED, changed);
    await listening.catch((error: unknown) => {
      listening = undefined;
      throw error;
    });
  }

  async function load(db: Db, uids: readonly string[]): Promise<WatchedDevice[]> {
    await listen();
    const before = changes;
    const rows = await loadWatches(db, uids);
    const rules = await packsOf(db, rows);
    const loaded = uids.map((uid): WatchedDevice => ({ uid, silent: false, metrics: NOTHING }));
    const byUid = new Map(loaded.map((device, index) => [device.uid, index]));
    for (const row of rows) loaded[byUid.get(row.uid)!] = toDevice(row, rules);
    if (changes !== before) {
      packs.clear();
      return loaded;
    }
    if (devices.size + loaded.length > MAX_REMEMBERED) devices.clear();
    for (const device of loaded) devices.set(device.uid, device);
    return loaded;
  }

  async function packsOf(db: Db, rows: readonly WatchRow[]): Promise<ReadonlyMap<string, PackRule[]>> {
    const named = new Set(rows.flatMap((row) => row.packs ?? []));
    const unknown = [...named].filter((id) => !packs.has(id));
    for (const { id, revision, rules } of unknown.length > 0 ? await loadPacks(db, unknown) : []) {
      packs.set(
        id,
        rules.map((rule) => ({ thresholdId: id, revision, rule, judge: judgeOf(rule) })),
      );
    }
    return new Map([...named].map((id) => [id, packs.get(id) ?? []]));
  }

  return {
    async of(uids, db = database.db) {
      const asked = new Map<string, WatchedDevice>();
      const unknown: string[] = [];
      for (const uid of uids) {
        const known = devices.get(uid);
        if (known) asked.set(uid, known);
        else unknown.push(uid);
      }
      if (unknown.length > 0) for (const device of await load(db, unknown)) asked.set(device.uid, device);
      return { batch: ++batches, devices: asked };
    },
    forget(uids) {
      for (const uid of uids) devices.delete(uid);
      // A device is loaded with the newest readings of what its packs name now, so with those packs.
      packs.clear();
    },
  };
}

function toDevice(row: WatchRow, packs: ReadonlyMap<string, PackRule[]>): WatchedDevice {
  const { uid } = row;
  const open = new Set(row.open ?? []);
  const states = new Map((row.states ?? []).map((state) => [state.rule, state]));
  const latest = new Map((row.latest ?? []).map(({ metric, time }) => [metric, time]));
  const metrics = new Map<string, WatchedMetric>();
  for (const rule of (row.packs ?? []).flatMap((id) => packs.get(id) ?? [])) {
    const { metric } = rule.rule;
    const newest = latest.get(metric) ?? Number.NEGATIVE_INFINITY;
    const watched = metrics.get(metric) ?? { newest, follows: newest, batch: 0, rules: [] };
    watched.rules.push({ ...rule, state: stateOf(open.has(rule.rule.id), states.get(rule.rule.id)), found: undefined });
    metrics.set(metric, watched);
  }
  return { uid, silent: open.has(null), metrics: metrics.size > 0 ? metrics : NOTHING };
}

/** The anomaly decides whether a fault is open; what is stored beside it says more only where it agrees. */
function stateOf(
  open: boolean,
  stored: { phase: "pending" | "clearing"; since: number } | undefined,
): WatchedRule["state"] {
  if (stored && (stored.phase === "clearing") === open) return { phase: stored.phase, since: stored.since };
  return { phase: open ? "open" : "ok", since: 0 };
}
