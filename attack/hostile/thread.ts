import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { BEGUN, type Run } from "../attack.ts";
import { attackNamed } from "../attacks/index.ts";

/**
 * The thread of one assault. It has the lowest priority: a real attacker has a machine of its own, so the CPU time
 * that it takes from the server and the honest tenant here must not count as harm. The server's cost is not reduced.
 */
const NICENESS = 19;
setPriority(NICENESS);

const end = new AbortController();
parentPort!.once("message", () => end.abort());
const run: Run = { ended: end.signal, begun: () => parentPort!.postMessage(BEGUN) };
const { name, plan } = workerData as { name: string; plan: unknown };
const started = performance.now();
const done = await attackNamed(name).assault(plan, run);
const { user, system } = process.threadCpuUsage();
const cpu = (user + system) / (performance.now() - started);
parentPort!.postMessage({ ...done, text: `${done.text}; the attacker used ${Math.round(cpu)} ms of CPU a second` });
