/**
 * The properties that devices may share, the most telling first: of properties that explain an outage equally well, the
 * first one is named.
 */
export const CAUSES = ["address", "block", "node", "batch", "version", "type", "group"] as const;
export type CauseKind = (typeof CAUSES)[number];
/** `all`: nearly all watched devices are silent, and share nothing that the others lack. */
export const OUTAGE_KINDS = ["all", ...CAUSES] as const;

/** The values of a silent device; several for its groups. */
export type Shared = Readonly<Partial<Record<CauseKind, readonly string[]>>>;

/** A silent device. */
export interface Silent {
  /** Any id of the device or of its anomaly. */
  id: string;
  shared: Shared;
}

/** The number of watched devices that have a value, by kind and value. */
export type Fleet = Readonly<{ total: number; having: (kind: CauseKind, value: string) => number }>;

/** The properties that silent devices have in common, unlike the others. */
export interface Cause {
  /** `all` if nearly every device is silent. */
  kind: CauseKind | "all";
  value: string;
  /** The silent devices that have the value, and all devices that have it. */
  silent: string[];
  of: number;
  /** The share of the value among the silent devices, divided by its share among all. */
  lift: number;
}

/** Fewer silent devices page one by one. */
export const LEAST_SILENT = 5;
/** The part of the devices with a value that must be silent: most devices behind a broken router are. */
const LEAST_PART = 0.6;
const LEAST_LIFT = 1.25;
/** The log-likelihood ratio that chance exceeds once in 1,000 times. */
const LEAST_RATIO = 10.83;
/** The part of the fleet from which on the value of no property says more than "all". */
const NEARLY_ALL = 0.9;
const MOST_CAUSES = 4;

/**
 * Returns the causes of silent devices, the one that explains the most first; each device has at most one.
 *
 * A value is a cause if most devices that have it are silent, it is more frequent among the silent devices than among
 * all, and chance does not explain that. The value with the highest log-likelihood ratio is taken, and the search goes
 * on without its devices.
 */
export function findCauses(silent: readonly Silent[], fleet: Fleet): Cause[] {
  if (silent.length < LEAST_SILENT) return [];
  if (silent.length >= NEARLY_ALL * fleet.total)
    return [{ kind: "all", value: "", silent: silent.map(({ id }) => id), of: fleet.total, lift: 1 }];
  const causes: Cause[] = [];
  for (let rest = silent; rest.length >= LEAST_SILENT && causes.length < MOST_CAUSES; ) {
    const cause = bestCause(rest, fleet);
    if (!cause) break;
    causes.push(cause);
    const explained = new Set(cause.silent);
    rest = rest.filter(({ id }) => !explained.has(id));
  }
  return causes;
}

function bestCause(silent: readonly Silent[], fleet: Fleet): Cause | undefined {
  let best: (Cause & { score: number }) | undefined;
  for (const kind of CAUSES)
    for (const [value, ids] of byValue(silent, kind)) {
      const of = Math.max(fleet.having(kind, value), ids.length);
      const lift = (ids.length / silent.length) * (fleet.total / of);
      if (ids.length < LEAST_SILENT || ids.length < LEAST_PART * of || lift < LEAST_LIFT) continue;
      const score = logLikelihood(ids.length, of, silent.length, Math.max(fleet.total, silent.length));
      if (score >= LEAST_RATIO && (!best || score > best.score)) best = { kind, value, silent: ids, of, lift, score };
    }
  if (!best) return undefined;
  const { score: _, ...cause } = best;
  return cause;
}

function byValue(silent: readonly Silent[], kind: CauseKind): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, shared } of silent)
    for (const value of shared[kind] ?? []) {
      const known = ids.get(value);
      if (known) known.push(id);
      else ids.set(value, [id]);
    }
  return ids;
}

/**
 * Returns the log-likelihood ratio (G, Dunning 1993) of the table "has the value" × "is silent".
 *
 * @param both silent devices with the value
 * @param having devices with the value
 */
function logLikelihood(both: number, having: number, silent: number, total: number): number {
  const cells = [
    [both, having, silent],
    [having - both, having, total - silent],
    [silent - both, total - having, silent],
    [total - having - silent + both, total - having, total - silent],
  ] as const;
  return (
    2 * cells.reduce((sum, [n, row, column]) => (n <= 0 ? sum : sum + n * Math.log((n * total) / (row * column))), 0)
  );
}
