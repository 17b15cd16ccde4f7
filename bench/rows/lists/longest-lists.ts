import { openHttps } from "../../load/https-client.ts";
import type { LongList, LongLists } from "../../load/long-lists.ts";
import { percentile } from "../../measure.ts";
import type { MusterProcess } from "../../peers/muster.ts";
import { type Figure, readable } from "../../report.ts";
import { setting } from "../../run.ts";
import { type AskedList, longestCases } from "./longest-cases.ts";

/** Pages that take longer than this are read a few times only. */
const SLOW_MS = 250;
const FEW_TIMES = 5;
const WARM_UP = 3;

/** A tenant, and the session of an admin of it. */
export interface Reader {
  readonly tenant: LongLists;
  readonly cookie: string;
}

/** The pages of one list, in turns of a tenant with a thousand rows and of one with many more. */
export async function longestList(
  muster: MusterProcess,
  list: LongList,
  readers: readonly [short: Reader, long: Reader],
): Promise<Figure[]> {
  const client = await openHttps(muster.https);
  // A key admits 120 requests a minute.
  let turn = 0;
  const page = async ({ path }: AskedList, { tenant, cookie }: Reader) => {
    const headers: Record<string, string> = path.startsWith("/api/admin")
      ? { cookie, "sec-fetch-site": "same-origin" }
      : { "x-api-key": tenant.keys[turn++ % tenant.keys.length]! };
    const started = performance.now();
    const { status, body } = await client.send("GET", path, "", headers);
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${body}`);
    return { took: performance.now() - started, total: JSON.parse(body).total as number };
  };
  const cases = readers.map(({ tenant }) => longestCases(tenant).filter((asked) => asked.list === list));
  const figures: Figure[] = [];
  for (const [index, asked] of cases[0]!.entries()) {
    const [short, long] = await inTurns(readers.map((reader, of) => () => page(cases[of]![index]!, reader)));
    figures.push(figureOf(asked, readers[1].tenant.rows, short!, long!));
  }
  client.close();
  return figures;
}

interface Pages {
  readonly took: number[];
  total: number;
}

async function inTurns(reads: readonly (() => Promise<{ took: number; total: number }>)[]): Promise<Pages[]> {
  const pages: Pages[] = reads.map(() => ({ took: [], total: Number.NaN }));
  let times = setting("times", 40);
  for (let time = -WARM_UP; time < times; time++) {
    for (const [index, read] of reads.entries()) {
      const { took, total } = await read();
      if (took > SLOW_MS) times = FEW_TIMES;
      pages[index]!.total = total;
      if (time >= 0) pages[index]!.took.push(took);
    }
  }
  return pages;
}

function figureOf({ name, isCounted }: AskedList, rows: number, short: Pages, long: Pages): Figure {
  const p99 = readable(percentile(long.took, 0.99));
  return {
    name: `${name}, of ${rows / 1_000_000}M, p50`,
    value: percentile(long.took, 0.5),
    unit: "ms",
    peer: { name: "of 1k", value: percentile(short.took, 0.5) },
    ...(isCounted ? {} : { target: { of: "ratio", atMost: 1.25 } as const }),
    note: `p99 ${p99} ms; total ${long.total.toLocaleString("en")}, of the short one ${short.total.toLocaleString("en")}`,
  };
}
