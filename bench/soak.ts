/**
 * Hours of updates on the embedded database: devices publish at a steady rate, and once a minute a line shows what must stay flat.
 * The readings are older than the tenant's retention, so that latest values are updated and nothing is inserted.
 *
 *   node bench/soak.ts [minutes] [messages a second] [devices]      60 1000 500
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { unlessEnded } from "./interrupt.ts";
import { openAll } from "./load/mqtt-client.ts";
import { publishPaced } from "./load/paced-publisher.ts";
import { meterOf, startMeter } from "./measure.ts";
import { newDataDir, startMuster } from "./peers/muster.ts";
import { readable } from "./report.ts";
import { redemptions } from "./rows/enrollment/redemption.ts";
import { progress } from "./run.ts";

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 7;

const [minutes = 60, perSecond = 1000, devices = 500] = process.argv.slice(2).map(Number);

const dataDir = newDataDir();
const muster = await startMuster(dataDir.path);
try {
  progress("devices enroll");
  const { identities } = await unlessEnded(redemptions(muster, { name: "PGlite" }));
  muster.command("tenant", "set-retention", "bench", "--days", String(RETENTION_DAYS));
  const sending = identities.slice(0, devices);
  const sockets = await openAll(muster.mqtt, sending);
  let acknowledgedBytes = 0;
  for (const socket of sockets) {
    socket.on("data", (chunk: Buffer) => {
      acknowledgedBytes += chunk.length;
    });
  }
  const targets = sockets.map((socket, index) => ({ socket, topic: sending[index]!.topic }));
  const load = { perSecond, oneIn: Infinity, warmUpSeconds: 0, seconds: 60, behindMs: 2 * RETENTION_DAYS * DAY_MS };
  const meter = meterOf(muster.pid);
  let before = 0;
  for (let minute = 1; minute <= minutes; minute++) {
    const used = startMeter(meter);
    await unlessEnded(publishPaced(targets, load));
    // The broker sends nothing but PUBACK, which has four octets.
    const acknowledged = acknowledgedBytes / 4;
    const each = (used().serverMs * 1000) / (acknowledged - before);
    progress(
      `minute ${minute}: ${readable((acknowledged - before) / 60)} messages/s, ${readable(each)} µs CPU a message, ${sizes()}`,
    );
    before = acknowledged;
  }
} finally {
  await muster.stop();
  dataDir.remove();
}
process.exit();

/** Megabytes of the database's folder. */
function sizes(): string {
  const folder = join(dataDir.path, "postgres");
  const megabytes = (path: string) => Number(execFileSync("du", ["-sm", path], { encoding: "utf8" }).split("\t")[0]);
  const [whole, log] = [megabytes(folder), megabytes(join(folder, "pg_wal"))];
  return `folder ${whole} MB, of which log ${log} MB`;
}
