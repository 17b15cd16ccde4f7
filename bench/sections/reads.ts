import { unlessEnded } from "../interrupt.ts";
import { createFleet } from "../load/fleet.ts";
import { fillLists, LONG_LISTS, type LongList, type LongLists, vacuum } from "../load/long-lists.ts";
import { fillMillion } from "../load/million.ts";
import { meterOf } from "../measure.ts";
import { startBareRoute } from "../peers/bare-route.ts";
import { type MusterProcess, newDataDir, startMuster } from "../peers/muster.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Figure } from "../report.ts";
import { chart } from "../rows/chart.ts";
import { getDevice } from "../rows/get-device.ts";
import { longAudit, longLists } from "../rows/lists/long-lists.ts";
import { millionExport, millionLists } from "../rows/lists/million-lists.ts";
import { add, available, progress, setting } from "../run.ts";

/** One device by the public API, beside a bare route. */
export async function readsOfDevices(): Promise<void> {
  await onServer("no GET /devices/{id}", "fleet", async (muster, url, cpuMs) => {
    progress("filling a tenant with devices and keys");
    const fleet = await createFleet(muster, url, { devices: 2000, keys: 1000 });
    const bare = await startBareRoute(url, fleet.tenantId);
    progress("GET /devices/{id}");
    return await unlessEnded(getDevice(served(muster, cpuMs), served(bare, cpuMs), fleet)).finally(bare.stop);
  });
}

function served({ pid, https }: Pick<MusterProcess, "pid" | "https">, databaseMs: () => number) {
  return { cpu: meterOf(pid, databaseMs), https };
}

export async function readsOfLists(): Promise<void> {
  await onLongLists(LONG_LISTS, [1000, 100_000, 1_000_000], longLists);
}

/** The lists of devices and certificates as the admin app asks for them; `devices=` sets how many there are. */
export async function readsOfApp(): Promise<void> {
  const measure: MeasureOnServer = async (muster, url, cpuMs) => {
    const devices = setting("devices", 1_000_000);
    progress(`filling a tenant with ${devices} devices and their certificates`);
    const million = await unlessEnded(fillMillion(muster, url, devices));
    progress("lists of the admin app");
    const figures = await unlessEnded(millionLists(muster, million, meterOf(muster.pid, cpuMs)));
    return [...figures, ...(await unlessEnded(millionExport(muster, million)))];
  };
  await onServer("no lists of the admin app", "app", measure, { MUSTER_LIMIT_SESSION_REQUESTS_PER_MINUTE: "100000" });
}

/** The certificate audit with ten million entries. */
export async function readsOfAudit(): Promise<void> {
  await onLongLists(["certificate_audit"], [10_000_000], (muster, url, [lists]) => longAudit(muster, url, lists!));
}

export async function readsOfCharts(): Promise<void> {
  const postgres = await available("no charts", startPostgres);
  if (postgres === undefined) return;
  progress("a chart over 2.6 million readings");
  try {
    add(await unlessEnded(chart(await postgres.createDatabase("charts"))));
  } finally {
    await postgres.stop();
  }
}

type Measure = (muster: MusterProcess, url: string, filled: LongLists[]) => Promise<Figure[]>;

/** Lists of each length, one tenant each, in one database. */
async function onLongLists(lists: readonly LongList[], lengths: readonly number[], measure: Measure): Promise<void> {
  await onServer("no lists", "lists", async (muster, url) => {
    const filled: LongLists[] = [];
    for (const rows of lengths) {
      progress(`filling lists of ${rows}`);
      filled.push(await unlessEnded(fillLists(url, rows, lists)));
    }
    await unlessEnded(vacuum(url));
    progress("pages of long lists");
    return await unlessEnded(measure(muster, url, filled));
  });
}

export type MeasureOnServer = (muster: MusterProcess, url: string, databaseMs: () => number) => Promise<Figure[]>;

/** Starts PostgreSQL and a server on a new database, and adds the figures that `measure` returns. */
export async function onServer(
  without: string,
  name: string,
  measure: MeasureOnServer,
  settings: Record<string, string> = {},
): Promise<void> {
  const postgres = await available(without, startPostgres);
  if (postgres === undefined) return;
  const dataDir = newDataDir();
  const url = await postgres.createDatabase(name);
  const muster = await startMuster(dataDir.path, url, settings);
  try {
    add(await measure(muster, url, postgres.cpuMs));
  } finally {
    await muster.stop();
    await postgres.stop();
    dataDir.remove();
  }
}
