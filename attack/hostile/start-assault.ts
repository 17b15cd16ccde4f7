import { Worker } from "node:worker_threads";
import { within } from "../../load/measure.ts";
import { type Attack, BEGUN, type Done } from "../attack.ts";

/** The most time that an assault may take to open or to close its connections. */
const TURN_SECONDS = 60;

/** An assault in a thread of its own, so that its work does not delay the honest tenant's measurements. */
export interface Assault {
  /** Ends it. @throws Error when the assault has failed */
  stop(): Promise<Done>;
}

/** Resolves when the assault is under way. */
export async function startAssault({ name }: Attack, plan: unknown): Promise<Assault> {
  const worker = new Worker(new URL("thread.ts", import.meta.url), { workerData: { name, plan } });
  const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<Done>()];
  worker.on("message", (message) => (message === BEGUN ? begun.resolve() : done.resolve(message)));
  worker.on("error", (error) => {
    begun.reject(error);
    done.reject(error);
  });
  done.promise.catch(() => undefined);
  const assault: Assault = {
    stop: async () => {
      worker.postMessage("end");
      return await within(TURN_SECONDS, () => `the end of ${name}`, done.promise).finally(() => worker.terminate());
    },
  };
  await within(TURN_SECONDS, () => `the begin of ${name}`, begun.promise).catch(async (error) => {
    await worker.terminate();
    throw error;
  });
  return assault;
}
