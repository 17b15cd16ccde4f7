import { get } from "node:https";
import { type HttpsClient, openHttps } from "../../load/https-client.ts";
import { type Meter, percentile, readable, sleep, startMeter } from "../../load/measure.ts";
import { loopback } from "../../load/mqtt-client.ts";
import type { MusterProcess } from "../../load/muster.ts";
import { fillMillion, type Million, USERS } from "../fixtures/million.ts";
import { atMost, type Figure, figure, note } from "../report.ts";
import { progress, setting } from "../run.ts";
import { onPostgres } from "../site.ts";

/** Whole lists, lists that are narrowed or sorted, and `/healthz` during an export. */
const LIST_MS = 300;
const FILTERED_MS = 1000;
const HEALTHY_MS = 500;
const TIMES = 20;
/** A search has no target: fewer show how long it takes. */
const SEARCHES = 3;
const DAY_MS = 86_400_000;

/** A list as a person asks for it on a screen. */
interface AskedList {
  /** The session that asks. */
  readonly as: keyof Million["cookies"];
  readonly name: string;
  /** Below `/api/admin`. */
  readonly path: string;
  /** The target of its p95 in milliseconds; none for a search. */
  readonly most: number | undefined;
}

/** The admin app's lists of devices and certificates, as an admin and as viewers ask for them; `devices=` for fewer. */
export async function lists(): Promise<Figure[]> {
  return await onPostgres(({ serve, url }) =>
    serve(
      async (muster, meter) => {
        const devices = setting("devices", 1_000_000);
        progress(`filling a tenant with ${devices} devices and their certificates`);
        const million = await fillMillion(muster, url, devices);
        const client = await openHttps(muster.https);
        const figures: Figure[] = [];
        for (const asked of askedLists(million, Date.now()))
          figures.push(await measured(client, asked, million, meter));
        figures.push(await healthDuringExport(client, muster, million));
        client.close();
        return figures;
      },
      { MUSTER_LIMIT_SESSION_REQUESTS_PER_MINUTE: "100000" },
    ),
  );
}

async function measured(
  client: HttpsClient,
  { as, name, path, most }: AskedList,
  million: Million,
  meter: Meter,
): Promise<Figure> {
  const headers = { cookie: million.cookies[as], "sec-fetch-site": "same-origin" };
  const times = most === undefined ? SEARCHES : TIMES;
  const took: number[] = [];
  let total = Number.NaN;
  const ask = async () => {
    const started = performance.now();
    const { status, body } = await client.send("GET", `/api/admin/${path}`, "", headers);
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${body}`);
    total = JSON.parse(body).total;
    return performance.now() - started;
  };
  await ask();
  const used = startMeter(meter);
  for (let time = 0; time < times; time++) took.push(await ask());
  const { serverMs, databaseMs } = used();
  const cpu = `CPU server ${readable(serverMs / times)} ms, database ${readable(databaseMs / times)} ms`;
  const text = `p50 ${readable(percentile(took, 0.5))} ms, ${cpu}; ${total.toLocaleString("en")} in all`;
  const target = most === undefined ? {} : atMost(most);
  return figure(`${as}: ${name}, p95`, percentile(took, 0.95), "ms", target, note(text));
}

function askedLists({ devices, deviceTypeId, groups }: Million, now: number): AskedList[] {
  const ago = (days: number) => new Date(now - days * DAY_MS).toISOString();
  const deep = { admin: devices / 2, half: devices / 4, few: devices / 200 };
  return USERS.flatMap((as) => [
    ...asked(as, LIST_MS, {
      devices: "devices?",
      "devices, page 2": "devices?skip=50",
      [`devices, skip=${deep[as]}`]: `devices?skip=${deep[as]}`,
      certificates: "certificates?sort=expiry",
      "certificates, page 2": "certificates?sort=expiry&skip=50",
      [`certificates, skip=${deep[as]}`]: `certificates?sort=expiry&skip=${deep[as]}`,
      "certificates, newest": "certificates?",
      [`certificates, newest, skip=${deep[as]}`]: `certificates?skip=${deep[as]}`,
    }),
    ...asked(as, FILTERED_MS, {
      "devices online": "devices?connectivity=online",
      "devices not online": "devices?notConnectivity=online",
      "devices never seen": "devices?connectivity=never_seen",
      "devices with an active certificate": "devices?certificateState=active",
      "devices with an expired certificate": "devices?certificateState=expired",
      "devices without an active certificate": "devices?notCertificateState=active",
      "devices of a type": `devices?deviceTypeId=${deviceTypeId}`,
      "devices of other types": `devices?notDeviceTypeId=${deviceTypeId}`,
      "devices of a large group": `devices?groupId=${groups.half}`,
      "devices of a small group": `devices?groupId=${groups.few}`,
      "devices of no group": "devices?groupId=none",
      "devices outside a group": `devices?notGroupId=${groups.few}`,
      "devices seen this week": `devices?seenFrom=${ago(7)}`,
      "devices not seen for 30 days": `devices?seenBefore=${ago(30)}`,
      "devices by name": "devices?sort=name",
      "devices by id": "devices?sort=id",
      "devices by id, page 2": "devices?sort=id&skip=50",
      "devices by last seen": "devices?sort=-lastSeenAt",
      "devices by end of certificate": "devices?sort=certificateExpiresAt",
      "devices by age": "devices?sort=createdAt",
      "devices online, expiring, by name": "devices?connectivity=online&certificateState=expiring&sort=name",
      "devices offline of a type, by last seen": `devices?connectivity=offline&deviceTypeId=${deviceTypeId}&sort=lastSeenAt`,
      "certificates valid": "certificates?sort=expiry&state=live",
      "certificates expiring": "certificates?sort=expiry&state=expiring",
      "certificates expired": "certificates?sort=expiry&state=expired",
      "certificates revoked": "certificates?state=revoked",
      "certificates not revoked": "certificates?sort=expiry&notState=revoked",
      "certificates, bundles": "certificates?sort=expiry&kind=platform",
      "certificates, no bundles": "certificates?sort=expiry&notKind=platform",
      "certificates that end this week": `certificates?sort=expiry&expiresFrom=${ago(0)}&expiresBefore=${ago(-7)}`,
      "certificates of a device": "certificates?deviceId=pump-50",
      "certificates valid, newest": "certificates?state=live",
      "devices of a small group with a part": `devices?q=777&groupId=${groups.few}`,
    }),
    ...asked(as, undefined, {
      "devices with a part that all have": "devices?q=pump",
      "devices with a part that few have": "devices?q=77777",
      "devices with a part that none has": "devices?q=zebra",
    }),
  ]);
}

function asked(as: AskedList["as"], most: number | undefined, paths: Record<string, string>): AskedList[] {
  return Object.entries(paths).map(([name, path]) => ({ as, name, path, most }));
}

/** Measures `/healthz` while the devices are downloaded as a file. */
async function healthDuringExport(client: HttpsClient, muster: MusterProcess, million: Million): Promise<Figure> {
  const took: number[] = [];
  const started = performance.now();
  let lines: number | undefined;
  const downloaded = download(muster, million).then((count) => {
    lines = count;
  });
  while (lines === undefined) {
    const before = performance.now();
    await Promise.race([client.send("GET", "/healthz"), downloaded]);
    took.push(performance.now() - before);
    await Promise.race([sleep(20), downloaded]);
  }
  const seconds = readable((performance.now() - started) / 1000);
  const text = `p50 ${readable(percentile(took, 0.5))} ms; the file has ${lines} lines and took ${seconds} s`;
  return figure("GET /healthz during an export, slowest", Math.max(...took), "ms", atMost(HEALTHY_MS), note(text));
}

/** Downloads the devices as CSV and counts the lines. */
function download({ https }: MusterProcess, { cookies }: Million): Promise<number> {
  const headers = { cookie: cookies.admin, "sec-fetch-site": "same-origin" };
  return new Promise((resolve, reject) => {
    get({ ...loopback(https), path: "/api/admin/devices?as=csv", headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the export was answered with ${response.statusCode}`));
      let lines = 0;
      response.on("data", (chunk: Buffer) => {
        for (const byte of chunk) if (byte === 10) lines++;
      });
      response.on("end", () => resolve(lines));
      response.on("error", reject);
    }).on("error", reject);
  });
}
