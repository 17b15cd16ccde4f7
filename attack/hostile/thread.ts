import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { Run } from "../attack.ts";
import { attackNamed } from "../attacks/index.ts";
import { BEGUN } from "./messages.ts";

/** The thread of one assault. It gives way a little to the server and the honest tenant, who are measured. */
const NICENESS = 5;
setPriority(NICENESS);

const end = new AbortController();
parentPort!.once("message", () => end.abort());
const run: Run = { ended: end.signal, begun: () => parentPort!.postMessage(BEGUN) };
const { name, plan } = workerData as { name: string; plan: unknown };
const done = await attackNamed(name).assault(plan, run);
parentPort!.postMessage(done);
