import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CACHE } from "./cache.ts";
import { startKeyProxy } from "./key-proxy.ts";
import { npmProgram } from "./programs.ts";
import { startLive } from "./service.ts";

const CONFORMANCE = "@modelcontextprotocol/conformance@0.1.16";

/**
 * Scenarios that use what this server does not announce. The suite is made for a server with every part of the
 * protocol, and does not leave scenarios out by capability. A scenario that passes all the same fails the run.
 */
const NOT_OFFERED: Readonly<Record<string, readonly string[]>> = {
  "no capability `logging`": ["logging-set-level"],
  "no capability `completions`": ["completion-complete"],
  "no capability `resources`": [
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
  ],
  "no capability `prompts`": [
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ],
  "no sessions: each request is answered by itself, which the transport permits": ["server-sse-multiple-streams"],
  "calls a tool `test_…` of the suite's own example server": [
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-with-logging",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ],
};

/** Runs the server scenarios of the protocol's conformance suite against `/mcp`. @param more arguments of the suite */
export async function runConformance(...more: string[]): Promise<boolean> {
  const program = await npmProgram("conformance", CONFORMANCE);
  const service = await startLive();
  // The suite cannot send a bearer token.
  const proxy = await startKeyProxy(service, () => ({ authorization: `Bearer ${service.key}` }));
  try {
    const expected = join(CACHE, "conformance-expected.yaml");
    const names = Object.values(NOT_OFFERED).flat();
    writeFileSync(expected, ["server:", ...names.map((name) => `  - ${name}`), ""].join("\n"));
    const args = ["server", "--url", `${proxy.url}/mcp`, "--expected-failures", expected, ...more];
    const child = spawn(process.execPath, [program, ...args], { stdio: "inherit", cwd: CACHE });
    const [code] = await once(child, "exit");
    return code === 0;
  } finally {
    await proxy.stop();
    await service.stop();
  }
}
