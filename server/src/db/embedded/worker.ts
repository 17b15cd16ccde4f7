/**
 * The thread of a service's engine (`worker-engine.ts`), whose statements therefore never block the event loop of
 * requests.
 */
import { parentPort, workerData } from "node:worker_threads";
import { openEngine } from "./engine.ts";
import type { FromWorker, ToWorker } from "./worker-engine.ts";

const port = parentPort!;
const engine = await openEngine(workerData);

/** Performs a call. `run` does its work before its first await, so answers leave in the order of the calls. */
async function perform(call: ToWorker): Promise<void> {
  if (call instanceof Uint8Array) {
    const bytes = await engine.run(call);
    answer(bytes, [bytes.buffer]);
  } else if (call === "dump") {
    answer(await engine.dump());
  } else {
    await engine.close();
    answer("closed");
    port.close();
  }
}

function answer(message: FromWorker, transferred: ArrayBuffer[] = []): void {
  port.postMessage(message, transferred);
}

// A failure ends the thread, and with it every call that waits for an answer.
port.on("message", (call: ToWorker) => void perform(call));
answer("opened");
