import { readFileSync } from "node:fs";

/** The version of this package; sent as `agentVersion` unless a firmware version is given. */
export const AGENT_VERSION: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
).version;
