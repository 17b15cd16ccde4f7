import { setPriority } from "node:os";
import { BEGUN, type Run } from "../attack.ts";
import { attackNamed } from "../attacks/index.ts";
import type { Order } from "./start-assault.ts";

/**
 * The process of one assault. It has the lowest priority: a real attacker has a machine of its own, so the CPU time
 * that it takes from the server and the honest tenant here must not count as harm. The server's cost is not reduced.
 */
const NICENESS = 19;
setPriority(NICENESS);

// Whoever started it has ended.
process.once("disconnect", () => process.exit(1));
process.once("message", async ({ name, plan }: Order) => {
  const end = new AbortController();
  process.once("message", () => end.abort());
  const run: Run = { ended: end.signal, begun: () => process.send!(BEGUN) };
  const started = performance.now();
  const done = await attackNamed(name).assault(plan, run);
  const { user, system } = process.cpuUsage();
  const cpu = (user + system) / (performance.now() - started);
  process.send!({ ...done, text: `${done.text}; the attacker used ${Math.round(cpu)} ms of CPU a second` });
});
