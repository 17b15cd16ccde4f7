/**
 * A server process that deletes the telemetry of deleted devices and kills itself after a given number of statements.
 * Its arguments are the database address, the time and that number.
 */
import { openDatabase } from "../../src/db/database.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { testFeatures } from "../harness/features.ts";

const [url, now, statements] = process.argv.slice(2);
let left = Number.POSITIVE_INFINITY;
const observe = () => {
  if (--left === 0) process.kill(process.pid, "SIGKILL");
};
const database = await openDatabase({ url, dataDir: "memory", logger: createLogger("silent"), observe });
const { telemetry } = testFeatures({ database, clock: new FakeClock(new Date(now!)) });
left = Number(statements);
await telemetry.deleteTelemetry();
await database.close();
