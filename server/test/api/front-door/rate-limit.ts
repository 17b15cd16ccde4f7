import type { Access, Admission } from "../../../src/access/access.ts";
import type { Database } from "../../../src/db/database.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { createMetrics } from "../../../src/lib/metrics/metrics.ts";
import { openTestDatabase, secondDatabase } from "../../harness/database/database.ts";
import { FakeClock } from "../../harness/fake-clock.ts";
import { testFeatures } from "../../harness/features.ts";

export const LIMIT = 120;

/** The API key part of a server process, with its own clock. */
export interface KeyProcess {
  access: Access;
  clock: FakeClock;
}

/** A database with one tenant, on which a test starts processes that admit requests. */
export interface RateLimitFixture {
  readonly database: Database;
  /**
   * The database of the second process: on PostgreSQL it has its own connections, so that the two processes really
   * compete.
   */
  readonly second: Database;
  start(on: Database, clock: Clock): Promise<Access>;
  /** Two processes that have just started. */
  twoProcesses(): Promise<[KeyProcess, KeyProcess]>;
  newKey(): Promise<{ id: string; key: string }>;
  /** Returns the stored window of a key. */
  windowOf(id: string): Promise<{ times: unknown[] } | undefined>;
  close(): Promise<void>;
}

export async function openRateLimitFixture(): Promise<RateLimitFixture> {
  const database = await openTestDatabase();
  const second = await secondDatabase(database);
  const metrics = createMetrics();
  const started: Access[] = [];
  const start = async (on: Database, clock: Clock): Promise<Access> => {
    const { access } = testFeatures({ database: on, clock, metrics });
    await access.compareRequestClocks();
    started.push(access);
    return access;
  };
  const first = await start(database, new FakeClock());
  await first.createTenant({ slug: "acme", name: "Acme" });
  const shell = await first.systemCaller("acme");
  const { email: user } = await first.createUser(shell, { email: "admin@acme.example", role: "admin" });
  return {
    database,
    second,
    start,
    async twoProcesses() {
      const clocks = [new FakeClock(), new FakeClock()] as const;
      return [
        { access: await start(database, clocks[0]), clock: clocks[0] },
        { access: await start(second, clocks[1]), clock: clocks[1] },
      ];
    },
    newKey: () => first.createKey(shell, { user, name: "k", scopes: ["devices:read"] }),
    windowOf: (id) =>
      database.db.selectFrom("api_key_windows").select("times").where("key_id", "=", id).executeTakeFirst(),
    async close() {
      for (const access of started) await access.close();
      await second.close();
      await database.close();
      await database.remove();
    },
  };
}

/** Returns the outcomes of a number of simultaneous requests. */
export function admissions(
  { access }: Pick<KeyProcess, "access">,
  key: string,
  requests: number,
): Promise<Admission[]> {
  return Promise.all(Array.from({ length: requests }, () => access.admitRequest(key, "127.0.0.1")));
}

/** Counts how many of a number of simultaneous requests are admitted. */
export async function countAdmitted(
  process: Pick<KeyProcess, "access">,
  key: string,
  requests: number,
): Promise<number> {
  return (await admissions(process, key, requests)).filter(({ admitted }) => admitted).length;
}

export function advance(all: readonly KeyProcess[], ms: number): void {
  for (const { clock } of all) clock.advance(ms);
}
