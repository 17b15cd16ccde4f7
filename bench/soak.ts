/**
 * Hours of updates on the embedded database: devices publish at a steady rate, and a line a minute shows what must stay
 * flat. The readings are older than the tenant's retention, so latest values are updated and nothing is inserted.
 *
 *   node bench/soak.ts [minutes] [messages a second] [devices]      60 1000 500
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { unlessEnded } from "../load/interrupt.ts";
import { measured, progressTo, readable } from "../load/measure.ts";
import { openAll } from "../load/mqtt-client.ts";
import { publishPaced } from "../load/paced-publisher.ts";
import { createTenant } from "../load/tenant.ts";
import { rate, serverMs } from "./report.ts";
import { onEmbedded } from "./site.ts";

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 7;

const [minutes = 60, perSecond = 1000, devices = 500] = process.argv.slice(2).map(Number);
const progress = progressTo(console.log);

await onEmbedded(({ serve, dataDir }) =>
  serve(async (muster, meter) => {
    const identities = await (await createTenant(muster, "bench")).newDevices(devices);
    await muster.shell("tenant.set-retention", { slug: "bench", days: RETENTION_DAYS });
    const sessions = await openAll(muster.mqtt, identities);
    const pace = { perSecond, until: 60, behindMs: 2 * RETENTION_DAYS * DAY_MS };
    for (let minute = 1; minute <= minutes; minute++) {
      const publish = async () => (await unlessEnded(publishPaced(sessions, pace))).length;
      const load = await measured(meter, publish);
      const cost = `${readable(rate(load))} messages/s, ${readable(serverMs(load) * 1000)} µs CPU a message`;
      progress(`minute ${minute}: ${cost}, ${sizes(join(dataDir, "postgres"))}`);
    }
  }),
);
process.exit();

/** Returns the size of the database's folder. */
function sizes(folder: string): string {
  const megabytes = (path: string) => Number(execFileSync("du", ["-sm", path], { encoding: "utf8" }).split("\t")[0]);
  return `folder ${megabytes(folder)} MB, of which log ${megabytes(join(folder, "pg_wal"))} MB`;
}
