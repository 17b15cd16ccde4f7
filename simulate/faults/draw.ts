/** Fault → its description. */
export const FAULTS = {
  worker: "a worker of a node ends by SIGKILL",
  jobs: "the jobs process of a node ends by SIGKILL",
  supervisor: "the supervisor of a node ends by SIGKILL; its processes must end, too",
  node: "all processes of a node end by SIGKILL at once",
  restart: "a rolling restart of a node",
  frozen: "all processes of a node stop for longer than its lease, and go on",
  "database cut": "a node is cut off from PostgreSQL",
  "nats cut": "a node is cut off from NATS",
  "database paused": "all processes of PostgreSQL stop for a while",
  "database killed": "all processes of PostgreSQL end by SIGKILL; it recovers",
  nats: "a NATS server ends by SIGKILL and starts again",
  "nats leader": "the same of the server that leads the ingest stream",
} as const;
export type FaultKind = keyof typeof FAULTS;

/** One fault of a run. */
export interface Fault {
  readonly kind: FaultKind;
  /** The index of the node or of the NATS server. */
  readonly target: number;
  /** The length of a fault that is not a kill. */
  readonly seconds: number;
  /** Whether a cut loses bytes silently instead of breaking connections. */
  readonly isSilent: boolean;
  /** Whether a certificate is revoked while it lasts. */
  readonly revokes: boolean;
}

export interface FaultPlan {
  readonly count: number;
  readonly seed: number;
  readonly kinds: readonly FaultKind[];
  readonly nodes: number;
  readonly nats: number;
  /** The lease of the nodes. */
  readonly leaseSeconds: number;
  /** The longest fault; every fifth pause of PostgreSQL lasts this long. */
  readonly longestSeconds: number;
}

/** One in this many pauses of PostgreSQL has the full length. */
const LONG_PAUSES = 5;

/** Draws the faults of a run, the same for the same plan: each kind equally often, in a random order. */
export function drawFaults({ count, seed, kinds, nodes, nats, leaseSeconds, longestSeconds }: FaultPlan): Fault[] {
  const random = generator(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const between = (least: number, most: number) => least + random() * (most - least);
  const faults: Fault[] = [];
  let pauses = 0;
  for (let deck: FaultKind[] = []; faults.length < count; ) {
    if (deck.length === 0) deck = shuffled(kinds, below);
    const kind = deck.pop()!;
    const isLong = kind === "database paused" && ++pauses % LONG_PAUSES === 0;
    const seconds = {
      frozen: between(leaseSeconds + 1, leaseSeconds + 6),
      "database paused": isLong ? longestSeconds : between(1, 1.5 * leaseSeconds),
      "database killed": between(0, 3),
      "database cut": between(1, 1.8 * leaseSeconds),
      "nats cut": between(1, 1.5 * leaseSeconds),
    } as Partial<Record<FaultKind, number>>;
    const target = below(kind === "nats" || kind === "nats leader" ? Math.max(nats, 1) : nodes);
    faults.push({
      kind,
      target,
      seconds: Math.min(longestSeconds, seconds[kind] ?? between(1, 6)),
      isSilent: random() < 0.5,
      revokes: random() < 0.3,
    });
  }
  return faults;
}

function shuffled<T>(all: readonly T[], below: (limit: number) => number): T[] {
  const rest = [...all];
  return all.map(() => rest.splice(below(rest.length), 1)[0]!);
}

/** Returns a generator of numbers in [0, 1) that follow from the seed: mulberry32, in the public domain. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
