import { Worker } from "node:worker_threads";
import { siblingModule } from "../../lib/installed/sibling-module.ts";
import type { Engine, EngineOptions } from "./engine.ts";

/** Messages of the wire protocol, whose buffer is transferred, or another call. */
export type ToWorker = Uint8Array<ArrayBuffer> | "dump" | "close";
/**
 * Answers to messages arrive in the order of the calls, and so do all others; the first says that the engine is open.
 */
export type FromWorker = Uint8Array<ArrayBuffer> | Blob | "opened" | "closed";

/**
 * Opens an engine in a thread of its own.
 *
 * @param onFailure called once if the engine fails permanently after it was opened: its disk has failed, or its thread
 *   has ended
 */
export async function openWorkerEngine(options: EngineOptions, onFailure: (error: Error) => void): Promise<Engine> {
  const worker = new Worker(siblingModule("worker", import.meta.url), { workerData: options, execArgv: [] });
  const calls = new Calls(worker);
  await calls.opened();
  let closing = false;
  void calls.failed.then((error) => closing || onFailure(error));
  return {
    run: (messages) => calls.run(messages),
    dump: () => calls.call<Blob>("dump"),
    close: async () => {
      closing = true;
      await calls.call("close");
    },
  };
}

interface Waiting {
  resolve(answer: FromWorker): void;
  reject(error: Error): void;
}

/** The unanswered calls of a worker. */
class Calls {
  readonly #worker: Worker;
  readonly #runs: Waiting[] = [];
  readonly #others: Waiting[] = [];
  #failure: Error | undefined;
  readonly #failed = Promise.withResolvers<Error>();
  /** Resolves when calls are no longer answered. */
  readonly failed: Promise<Error> = this.#failed.promise;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (answer: FromWorker) => {
      const waiting = answer instanceof Uint8Array ? this.#runs : this.#others;
      waiting.shift()?.resolve(answer);
    });
    worker.on("error", (error) => this.#end(error));
    worker.on("exit", () => this.#end(new Error("its thread has ended")));
  }

  opened(): Promise<FromWorker> {
    return waitIn(this.#others);
  }

  run(messages: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#worker.postMessage(messages, [messages.buffer]);
    return waitIn(this.#runs);
  }

  call<Answer extends FromWorker>(call: "dump" | "close"): Promise<Answer> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#worker.postMessage(call);
    return waitIn(this.#others);
  }

  #end(cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.#failure ??= new Error(`Connection terminated: the embedded database has stopped: ${reason}`, { cause });
    this.#failed.resolve(this.#failure);
    for (const { reject } of [...this.#runs.splice(0), ...this.#others.splice(0)]) reject(this.#failure);
  }
}

function waitIn<Answer extends FromWorker>(waiting: Waiting[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    waiting.push({ resolve: resolve as Waiting["resolve"], reject });
  });
}
