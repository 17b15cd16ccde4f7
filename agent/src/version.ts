import { readFileSync } from "node:fs";

/** The package's version, sent as `agentVersion` where the integration names no firmware version of its own. */
export const AGENT_VERSION: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
).version;
