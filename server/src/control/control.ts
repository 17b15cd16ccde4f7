import { createServer } from "node:http";
import type { Logger } from "../lib/logger.ts";
import { answerSubcommands } from "./answer.ts";
import type { Facades } from "./facades.ts";
import { listenPrivately } from "./listen.ts";

export interface ControlDeps extends Facades {
  dataDir: string;
  logger: Logger;
}

/** Serves the shell's commands on a socket that only the owner of the data folder can open. */
export interface Control {
  /** @throws {Error} if another service already listens for the same data folder */
  start(): Promise<void>;
  /** Resolves when the running commands have finished. */
  stop(): Promise<void>;
}

export function createControl(deps: ControlDeps): Control {
  const server = createServer(answerSubcommands(deps, deps.logger));
  return {
    start: () => listenPrivately(server, deps.dataDir),
    stop: () =>
      new Promise((resolve) => {
        if (!server.listening) return resolve();
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}
