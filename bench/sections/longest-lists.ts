import { unlessEnded } from "../interrupt.ts";
import { createAdministrator } from "../load/administrator.ts";
import { addTenant, emptyList, fillGroups, fillList, type LongList, vacuum } from "../load/long-lists.ts";
import type { MusterProcess } from "../peers/muster.ts";
import type { Figure } from "../report.ts";
import { longestList, type Reader } from "../rows/lists/longest-lists.ts";
import { isNamed, progress, setting } from "../run.ts";
import { onServer } from "./reads.ts";

/** Lists that grow with a fleet and its age. The devices come last: with them everything goes that belongs to devices. */
const GROWING: readonly LongList[] = [
  "certificate_audit",
  "admin_audit",
  "api_audit",
  "deliveries",
  "tickets",
  "anomalies",
  "claims",
  "certificates",
  "devices",
];

/** One list after the other, of which each is emptied before the next is filled; `rows=` sets how many there are, a list's name only that one. */
export async function readsOfLongestLists(): Promise<void> {
  const named = GROWING.filter(isNamed);
  const measure = async (muster: MusterProcess, url: string): Promise<Figure[]> => {
    const readers = [
      await readerOf(muster, url, 1000),
      await readerOf(muster, url, setting("rows", 10_000_000)),
    ] as const;
    const figures: Figure[] = [];
    for (const { tenant } of readers) await unlessEnded(fillGroups(url, tenant));
    for (const list of named.length > 0 ? named : GROWING) {
      progress(`filling ${list}`);
      for (const { tenant } of readers) await unlessEnded(fillList(url, tenant, list));
      await unlessEnded(vacuum(url));
      progress(`pages of ${list}`);
      figures.push(...(await unlessEnded(longestList(muster, list, readers))));
      await emptyList(url, list);
    }
    return figures;
  };
  await onServer("no lists", "lists", measure, { MUSTER_LIMIT_SESSION_REQUESTS_PER_MINUTE: "100000" });
}

async function readerOf(muster: MusterProcess, url: string, rows: number): Promise<Reader> {
  const tenant = await addTenant(url, rows);
  const administrator = await createAdministrator(muster, tenant.slug);
  return { tenant, cookie: await administrator.newSession() };
}
