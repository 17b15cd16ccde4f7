import { Worker } from "node:worker_threads";

/**
 * Loaded before the tests in CI, where a run must end: kills the process once its event loop has been blocked for
 * longer than any test may take. Node's own timeouts wait for the event loop.
 *
 * @param url of this module; `?ms=` sets another time
 */
function killWhenStill(url: string): void {
  const still = Number(new URL(url).searchParams.get("ms") ?? 300_000);
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), Math.min(1_000, still / 4)).unref();
  new Worker(WATCH, { eval: true, workerData: { beats, still } }).unref();
}

const WATCH = `
const { workerData: { beats, still } } = require("node:worker_threads");
let [last, since] = [0, performance.now()];
setInterval(() => {
  const now = Atomics.load(beats, 0);
  if (now !== last) [last, since] = [now, performance.now()];
  else if (performance.now() - since > still) process.kill(process.pid, "SIGKILL");
}, still / 10);
`;

killWhenStill(import.meta.url);
