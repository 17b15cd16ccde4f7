import { fork } from "node:child_process";
import { join } from "node:path";
import { within } from "../../load/measure.ts";
import { end } from "../../load/processes.ts";
import { type Attack, BEGUN, type Done } from "../attack.ts";

/** The most time that an assault may take to open or to close its connections. */
const TURN_SECONDS = 60;

/** The first message to the process of an assault; any second one ends the assault. */
export interface Order {
  readonly name: string;
  readonly plan: unknown;
}

/** An assault in a process of its own, so that its work does not delay the honest tenant's measurements. */
export interface Assault {
  /** Resolves when the attack is under way; rejects if it does not come to that. */
  readonly begun: Promise<void>;
  /** Ends it. @throws Error when the assault has failed */
  stop(): Promise<Done>;
}

export function startAssault({ name }: Attack, plan: unknown): Assault {
  const child = fork(join(import.meta.dirname, "process.ts"), { serialization: "advanced" });
  const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<Done>()];
  child.on("message", (message) => (message === BEGUN ? begun.resolve() : done.resolve(message as Done)));
  child.on("exit", (code) => {
    const error = new Error(`the process of ${name} ended with ${code}`);
    begun.reject(error);
    done.reject(error);
  });
  const underWay = within(TURN_SECONDS, () => `the begin of ${name}`, begun.promise);
  for (const promise of [underWay, done.promise]) promise.catch(() => undefined);
  child.send({ name, plan } satisfies Order);
  return {
    begun: underWay,
    stop: async () => {
      if (child.connected) child.send("end");
      return await within(TURN_SECONDS, () => `the end of ${name}`, done.promise).finally(() => end(child));
    },
  };
}
