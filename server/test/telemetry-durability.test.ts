import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { provesJudged, provesPaged, provesStored, whatIsThere } from "./durability/proofs.ts";
import { rising, saw, type Watched } from "./durability/watched.ts";
import { type CrashFixture, startCrashFixture } from "./harness/crash.ts";
import { onPostgres } from "./harness/database.ts";
import { ask } from "./harness/postgres.ts";
import { sequence } from "./harness/sequence.ts";
import { type Sinks, startSinks } from "./harness/sinks.ts";

const SEED = 20_261_121;
const KILLS = onPostgres ? 10 : 2;
/** A round ends within so many acknowledgements and a moment. */
const MOST = onPostgres ? 400 : 900;
const FEWEST = 50;
const MOMENT_MS = 30;

let sinks: Sinks;
let world: CrashFixture;
before(async () => {
  sinks = await startSinks();
  world = await startCrashFixture({ faulty: false, env: sinks.env });
});
after(async () => {
  await world?.close();
  await sinks.stop();
});

/** Those whose limits page somebody. There are kills enough to meet that on PostgreSQL alone. */
async function paging(): Promise<Watched[]> {
  if (!onPostgres) return [];
  return [
    await rising(world, 100, 1, { type: "webhook", target: sinks.hookUrl("/plant") }),
    // Few: more than twenty mails in a minute would be a digest.
    await rising(world, 8, 12, { type: "email", target: "plant@acme.example" }),
  ];
}

const ON_THE_WAY = `SELECT (SELECT count(*) FROM notification_inbox) + (SELECT count(*) FROM pages WHERE state = 'due')
                         + (SELECT count(*) FROM deliveries WHERE state = 'pending') AS count`;

/** How many pages and messages are on their way. */
async function onTheWay(): Promise<number> {
  if (world.databaseUrl === undefined) return 0;
  const [row] = await ask<{ count: string }>(world.databaseUrl, ON_THE_WAY);
  return Number(row!.count);
}

test("kill -9 in the midst of ingest and paging: what is acknowledged is stored and judged as if nothing had been, and paged once (reliability B15)", {
  timeout: 180_000,
}, async () => {
  const random = sequence(SEED);
  const teeth = await saw(world);
  const paged = await paging();
  const all = [teeth, ...paged];
  let met = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    if (kill > 1) await world.restart();
    const { server } = world;
    const enough = FEWEST + Math.floor(random() * (MOST - FEWEST));
    const moment = random() * MOMENT_MS;
    const killSoon = () => setTimeout(moment).then(() => server.end("SIGKILL"));
    await Promise.all(all.map(({ publisher }) => publisher.publishUntilKilled(server, enough, killSoon)));
    await server.ended;
    met += await onTheWay();
  }
  for (const { publisher } of all)
    assert.ok(publisher.sent > publisher.acknowledged.length, "the kills met nothing in flight: they proved nothing");

  if (onPostgres) {
    assert.ok(met > 0, "the kills met nobody being paged: they proved nothing");
    await world.outdateHeartbeats();
    await world.restart();
    while ((await onTheWay()) > 0) await setTimeout(100);
    await world.doctor();
  }
  const there = await whatIsThere(world);
  for (const each of all) provesStored(each, there);
  provesJudged(teeth, there);
  for (const each of paged) provesPaged(each, there, sinks);
});
