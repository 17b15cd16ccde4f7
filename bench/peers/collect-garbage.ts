import { pathToFileURL } from "node:url";

/** Settings of a Node process that collects its garbage at SIGUSR2, so that memory is compared without garbage. */
export const collectingOnSignal = {
  NODE_OPTIONS: `--expose-gc --import=${pathToFileURL(import.meta.filename).href}`,
};

// A process with these settings imports this module before its program.
if (globalThis.gc !== undefined) process.on("SIGUSR2", () => globalThis.gc!());
