import pg from "pg";
import { type HttpsClient, openHttps } from "../../load/https-client.ts";
import type { LongLists } from "../../load/long-lists.ts";
import { percentile } from "../../measure.ts";
import type { MusterProcess } from "../../peers/muster.ts";
import { type Figure, readable } from "../../report.ts";

/** Requests of one key: it admits 120 a minute, and the row may take less than a minute. */
const A_KEY = 118;
const DEEP = 100_000;

interface Listed {
  readonly name: string;
  readonly path: string;
  readonly table: string;
  /** SQL: the rows of the path's filter. */
  readonly where?: string;
}

const AUDIT: Listed = {
  name: "certificate audit",
  path: "/api/v1/device-certificates/audit",
  table: "certificate_audit",
};

const LISTED: readonly Listed[] = [
  { name: "devices", path: "/api/v1/devices", table: "devices" },
  { name: "certificates", path: "/api/v1/device-certificates", table: "certificates" },
  {
    name: "certificates, revoked,",
    path: "/api/v1/device-certificates?status=revoked",
    table: "certificates",
    where: "revoked_at IS NOT NULL",
  },
  AUDIT,
  { name: "claims", path: "/api/v1/provisioning/claims", table: "claims" },
  { name: "claims, used,", path: "/api/v1/provisioning/claims?status=used", table: "claims", where: "status = 'used'" },
  { name: "groups", path: "/api/v1/groups", table: "groups" },
  { name: "shifts", path: "/api/v1/shifts", table: "shifts" },
  { name: "thresholds", path: "/api/v1/thresholds", table: "thresholds" },
  { name: "anomalies", path: "/api/v1/anomalies", table: "anomalies" },
  { name: "anomalies, open,", path: "/api/v1/anomalies?status=open", table: "anomalies", where: "status = 'open'" },
  { name: "tickets", path: "/api/v1/tickets", table: "tickets" },
];

/** Every list, in turns of all lengths, so that other work on the machine affects all of them. */
export async function longLists(
  muster: MusterProcess,
  databaseUrl: string,
  lengths: readonly LongLists[],
): Promise<Figure[]> {
  const tenants = await Promise.all(lengths.map((lists) => reader(muster, lists)));
  const figures: Figure[] = [];
  for (const listed of LISTED) {
    for (const skip of [0, DEEP]) {
      const samples = await inTurns(tenants, listed, skip, 150);
      const plain = await countAndOffset(databaseUrl, listed, lengths.at(-1)!.tenantId, skip);
      figures.push(figureOf(listed.name, skip, lengths, samples, plain));
    }
  }
  for (const tenant of tenants) tenant.close();
  return figures;
}

/** The certificate audit alone, with ten million entries: filling it takes minutes. */
export async function longAudit(muster: MusterProcess, databaseUrl: string, lists: LongLists): Promise<Figure[]> {
  const tenant = await reader(muster, lists);
  const figures: Figure[] = [];
  for (const skip of [0, DEEP, lists.rows / 2]) {
    const [sample] = await inTurns([tenant], AUDIT, skip, 200);
    const plain = await countAndOffset(databaseUrl, AUDIT, lists.tenantId, skip);
    const page = skip === 0 ? "first page" : `skip=${skip}`;
    figures.push({
      name: `audit of ${inWords(lists.rows)}, ${page}, p50`,
      value: percentile(sample!, 0.5),
      unit: "ms",
      peer: { name: "count(*) + OFFSET alone", value: plain },
      note: `p99 ${readable(percentile(sample!, 0.99))} ms`,
    });
  }
  tenant.close();
  return figures;
}

interface Reader {
  /** Reads one page. @returns how many milliseconds it took */
  page(path: string, skip: number): Promise<number>;
  close(): void;
}

async function reader({ https }: MusterProcess, { keys }: LongLists): Promise<Reader> {
  const client: HttpsClient = await openHttps(https);
  let turn = 0;
  return {
    page: async (path, skip) => {
      const key = keys[Math.floor(turn++ / A_KEY)];
      if (key === undefined) throw new Error("too few keys were made for so many pages");
      const started = performance.now();
      const answer = await client.send("GET", `${path}${path.includes("?") ? "&" : "?"}skip=${skip}`, "", {
        "x-api-key": key,
      });
      if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${answer.body}`);
      return performance.now() - started;
    },
    close: () => client.close(),
  };
}

/** The milliseconds of `times` pages of each, after a few that are not counted. */
async function inTurns(tenants: readonly Reader[], { path }: Listed, skip: number, times: number): Promise<number[][]> {
  const samples: number[][] = tenants.map(() => []);
  for (let time = -10; time < times; time++) {
    for (const [index, tenant] of tenants.entries()) {
      const took = await tenant.page(path, skip);
      if (time >= 0) samples[index]!.push(took);
    }
  }
  return samples;
}

const PLAIN_TIMES = 5;

/** The two statements of a list that is not counted in blocks: median milliseconds. */
async function countAndOffset(
  databaseUrl: string,
  { table, where = "true" }: Listed,
  tenantId: string,
  skip: number,
): Promise<number> {
  const key = table === "devices" ? "uid" : "id";
  const rows = `FROM ${table} WHERE tenant_id = '${tenantId}' AND ${where}`;
  const took: number[] = [];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (let time = 0; time < PLAIN_TIMES; time++) {
    const started = performance.now();
    await client.query(`SELECT count(*) ${rows}`);
    await client.query(`SELECT * ${rows} ORDER BY ${key} DESC LIMIT 50 OFFSET ${skip}`);
    took.push(performance.now() - started);
  }
  await client.end();
  return percentile(took, 0.5);
}

/** The longest list beside the shortest; all lengths in the note. */
function figureOf(
  name: string,
  skip: number,
  lengths: readonly LongLists[],
  samples: readonly number[][],
  plain: number,
): Figure {
  const page = skip === 0 ? "first page" : `skip=${skip}`;
  const each = lengths.map(({ rows }, index) => {
    const [p50, p99] = [percentile(samples[index]!, 0.5), percentile(samples[index]!, 0.99)];
    return `${inWords(rows)} rows p50 ${readable(p50)} p99 ${readable(p99)}`;
  });
  const target = skip === 0 ? { target: { of: "ratio", atMost: 1.5 } as const } : {};
  return {
    name: `${name} of ${inWords(lengths.at(-1)!.rows)}, ${page}, p50`,
    value: percentile(samples.at(-1)!, 0.5),
    unit: "ms",
    peer: { name: `of ${inWords(lengths[0]!.rows)}`, value: percentile(samples[0]!, 0.5) },
    ...target,
    note: `${each.join("; ")} ms; count(*) and OFFSET alone on the longest: ${readable(plain)} ms`,
  };
}

function inWords(rows: number): string {
  return rows >= 1_000_000 ? `${rows / 1_000_000}M` : `${rows / 1000}k`;
}
