import { get } from "node:https";
import { type HttpsClient, openHttps } from "../../load/https-client.ts";
import type { Million } from "../../load/million.ts";
import { type Meter, percentile, sleep, startMeter } from "../../measure.ts";
import type { MusterProcess } from "../../peers/muster.ts";
import { type Figure, readable } from "../../report.ts";
import { type AskedList, askedLists } from "./million-cases.ts";

const TIMES = 20;
/** A search has no target: fewer show how long it takes. */
const SEARCHES = 3;

/** Every list of devices and certificates of the admin app, as an admin and as viewers ask for them. */
export async function millionLists(muster: MusterProcess, million: Million, meter: Meter): Promise<Figure[]> {
  const client = await openHttps(muster.https);
  const figures: Figure[] = [];
  for (const asked of askedLists(million, Date.now())) figures.push(await measured(client, asked, million, meter));
  client.close();
  return figures;
}

async function measured(client: HttpsClient, asked: AskedList, million: Million, meter: Meter): Promise<Figure> {
  const { as, name, path, atMost } = asked;
  const headers = { cookie: million.cookies[as], "sec-fetch-site": "same-origin" };
  const times = atMost === undefined ? SEARCHES : TIMES;
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
  return {
    name: `${as}: ${name}, p95`,
    value: percentile(took, 0.95),
    unit: "ms",
    ...(atMost === undefined ? {} : { target: { of: "value", atMost } as const }),
    note: `p50 ${readable(percentile(took, 0.5))} ms, CPU server ${readable(serverMs / times)} ms, database ${readable(databaseMs / times)} ms; ${total.toLocaleString("en")} in all`,
  };
}

const HEALTHY_MS = 500;

/** How long `/healthz` takes while the devices are downloaded as a file. */
export async function millionExport(muster: MusterProcess, million: Million): Promise<Figure[]> {
  const client = await openHttps(muster.https);
  const took: number[] = [];
  const started = performance.now();
  let rows: number | undefined;
  const downloaded = download(muster, million, "devices").then((lines) => {
    rows = lines;
  });
  while (rows === undefined) {
    const before = performance.now();
    await client.send("GET", "/healthz");
    took.push(performance.now() - before);
    await sleep(20);
  }
  await downloaded;
  client.close();
  const seconds = (performance.now() - started) / 1000;
  return [
    {
      name: "GET /healthz during an export, slowest",
      value: Math.max(...took),
      unit: "ms",
      target: { of: "value", atMost: HEALTHY_MS },
      note: `p50 ${readable(percentile(took, 0.5))} ms; the file has ${rows.toLocaleString("en")} lines and took ${readable(seconds)} s`,
    },
  ];
}

/** @returns the lines of the file */
function download({ https }: MusterProcess, { cookies }: Million, list: string): Promise<number> {
  const to = { host: "127.0.0.1", port: https.port, ca: https.ca, servername: "localhost" };
  const headers = { cookie: cookies.admin, "sec-fetch-site": "same-origin" };
  return new Promise((resolve, reject) => {
    get({ ...to, path: `/api/admin/${list}?as=csv`, headers }, async (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the export was answered with ${response.statusCode}`));
      let lines = 0;
      try {
        for await (const chunk of response as AsyncIterable<Buffer>) for (const byte of chunk) if (byte === 10) lines++;
        resolve(lines);
      } catch (error) {
        reject(error);
      }
    }).on("error", reject);
  });
}
