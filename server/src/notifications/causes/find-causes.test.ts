import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Cause,
  type CauseKind,
  type Fleet,
  findCauses,
  LEAST_SILENT,
  type Shared,
  type Silent,
} from "./find-causes.ts";

/** Draws numbers from a seed (mulberry32), so that every run simulates the same outages. */
function drawing(seed: number) {
  let state = seed;
  const draw = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { draw, below: (n: number) => Math.floor(draw() * n) };
}

type Drawing = ReturnType<typeof drawing>;

/** A fleet whose properties are correlated: a site has its blocks and groups, a batch is mostly of one type. */
function simulatedFleet({ below, draw }: Drawing, size: number): Silent[] {
  const sites = 12 + below(20);
  return Array.from({ length: size }, (_, index) => {
    const site = below(sites);
    const block = `10.${site}.${below(2)}`;
    const type = below(5);
    const batch = draw() < 0.9 ? type * 4 + below(4) : below(20);
    const shared: Shared = {
      address: [draw() < 0.7 ? `${block}.1` : `${block}.${2 + below(250)}`],
      block: [`${block}.0/24`],
      node: [`node-${below(3)}`],
      batch: [`batch-${batch}`],
      version: [`1.${Math.min(below(6), below(6))}`],
      type: [`type-${type}`],
      group: [`group-${site % 8}`, ...(draw() < 0.2 ? [`group-${below(8)}`] : [])],
    };
    return { id: `device-${index}`, shared: { ...shared, group: [...new Set(shared.group)] } };
  });
}

function countsOf(devices: readonly Silent[]): Fleet {
  const counts = new Map<string, number>();
  for (const { shared } of devices)
    for (const [kind, values] of Object.entries(shared))
      for (const value of values) counts.set(`${kind} ${value}`, (counts.get(`${kind} ${value}`) ?? 0) + 1);
  return { total: devices.length, having: (kind, value) => counts.get(`${kind} ${value}`) ?? 0 };
}

/** Values of a kind that enough devices have, and not nearly all. */
function valuesOf(devices: readonly Silent[], kind: CauseKind): string[] {
  const { total, having } = countsOf(devices);
  const values = new Set(devices.flatMap(({ shared }) => shared[kind] ?? []));
  return [...values].filter((value) => having(kind, value) >= 12 && having(kind, value) < total / 3).sort();
}

/** The seven kinds of outage. A router takes a block or its one address. */
const KINDS = ["block", "node", "batch", "version", "group", "random", "two at once"] as const;

interface Outage {
  truth: { kind: CauseKind; value: string }[];
  silent: Silent[];
}

function outage(kind: (typeof KINDS)[number], devices: readonly Silent[], { below, draw }: Drawing): Outage {
  const pick = (of: CauseKind) => {
    const values = valuesOf(devices, of);
    return values.length === 0 ? [] : [{ kind: of, value: values[below(values.length)]! }];
  };
  const truth = kind === "random" ? [] : kind === "two at once" ? [...pick("block"), ...pick("version")] : pick(kind);
  const noise = kind === "random" ? 0.03 : 0.002;
  const silent = devices.filter(
    ({ shared }) => truth.some((each) => shared[each.kind]?.includes(each.value) && draw() < 0.97) || draw() < noise,
  );
  return { truth, silent };
}

/** Whether a cause names the truth, or a property that the same devices share. */
function names(cause: Cause, truth: Outage["truth"], devices: readonly Silent[]): boolean {
  if (cause.kind === "all") return false;
  const { kind } = cause;
  const found = new Set(devices.filter(({ shared }) => shared[kind]?.includes(cause.value)).map(({ id }) => id));
  return truth.some((each) => {
    const meant = devices.filter(({ shared }) => shared[each.kind]?.includes(each.value));
    const both = meant.filter(({ id }) => found.has(id)).length;
    // An address within the block, or a group of one site: four of five devices in common both ways.
    return both >= 0.8 * found.size && (both >= 0.8 * meant.length || kind === "address");
  });
}

test("over 200 simulated outages of seven kinds, fewer than 2 % of the named causes are wrong", () => {
  const result = { named: 0, right: 0, true: 0, recalled: 0 };
  const wrong: string[] = [];
  for (let seed = 0; seed < 203; seed++) {
    const by = drawing(seed * 7919 + 17);
    const devices = simulatedFleet(by, 300 + by.below(700));
    const kind = KINDS[seed % KINDS.length]!;
    const { truth, silent } = outage(kind, devices, by);
    const causes = findCauses(silent, countsOf(devices));
    for (const cause of causes) {
      result.named++;
      if (names(cause, truth, devices)) result.right++;
      else wrong.push(`${seed} ${kind}: ${cause.kind} ${cause.value}, ${cause.silent.length} of ${cause.of}`);
    }
    for (const each of truth) {
      result.true++;
      if (causes.some((cause) => names(cause, [each], devices))) result.recalled++;
    }
  }
  const [precision, recall] = [result.right / result.named, result.recalled / result.true];
  assert.ok(precision >= 0.98, `precision ${precision}: ${wrong.join("; ")}`);
  assert.ok(recall >= 0.9, `recall ${recall} of ${result.true}`);
});

const device = fc.record({
  block: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  type: fc.constantFrom("x", "y", "z"),
  isSilent: fc.boolean(),
});

test("a cause is silent for most of its devices, more frequent among the silent, and no device has two", () => {
  fc.assert(
    fc.property(fc.array(device, { minLength: 5, maxLength: 120 }), (given) => {
      const devices = given.map(({ block, type }, at) => ({
        id: String(at),
        shared: { block: [block], type: [type] },
      }));
      const silent = devices.filter((_, at) => given[at]!.isSilent);
      const fleet = countsOf(devices);
      const causes = findCauses(silent, fleet);
      const explained = causes.flatMap((cause) => cause.silent);
      assert.equal(new Set(explained).size, explained.length);
      for (const cause of causes) {
        assert.ok(cause.silent.length >= LEAST_SILENT);
        if (cause.kind === "all") continue;
        assert.ok(cause.silent.length >= 0.6 * fleet.having(cause.kind, cause.value));
        assert.ok(cause.lift >= 1.25);
        for (const id of cause.silent) {
          const { shared } = silent.find((each) => each.id === id)!;
          assert.ok((shared as Shared)[cause.kind]?.includes(cause.value));
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("a single device and a fleet that is silent as a whole have no cause of their own", () => {
  const devices = Array.from({ length: 20 }, (_, at) => ({ id: String(at), shared: { block: [String(at % 4)] } }));
  assert.deepEqual(findCauses(devices.slice(0, 1), countsOf(devices)), []);
  const [all] = findCauses(devices, countsOf(devices));
  assert.deepEqual([all!.kind, all!.silent.length, all!.of], ["all", 20, 20]);
});
