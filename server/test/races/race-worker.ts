/**
 * A server process for races, without listeners. It opens the database named in its arguments and runs the use cases it
 * is sent, as many at once as it has connections. `races.ts` starts it, and it ends when its parent disconnects.
 */
import { openDatabase } from "../../src/db/database.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { PATIENT } from "../harness/database/database.ts";
import { createRegistry } from "../harness/enrollment.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { type Job, runJobs } from "./race-jobs.ts";

const [url, at] = process.argv.slice(2);
const database = await openDatabase({ url, dataDir: "memory", timeLimits: PATIENT, logger: createLogger("silent") });
const clock = new FakeClock(new Date(at!));
const registry = createRegistry({ database, clock });

process.on("message", async ({ jobs, now }: { jobs: Job[]; now: Date }) => {
  clock.step(now.getTime() - clock.now().getTime());
  process.send!(await runJobs(registry, jobs));
});
process.on("disconnect", () => void database.close());
process.send!("ready");
