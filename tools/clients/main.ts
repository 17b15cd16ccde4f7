/**
 * `npm run clients`: generates clients of the API in five languages, compiles them, and has three of them run a story
 * against a live service. Arguments select generators by a part of their name, or one of the other proofs:
 * `spectral`, `schemathesis [minutes]`, `conformance`.
 */
import { join } from "node:path";
import type { StoryEnvironment } from "./client.ts";
import { runConformance } from "./conformance.ts";
import { CLIENTS, prove, type Result } from "./generators.ts";
import { runSchemathesis } from "./schemathesis.ts";
import { startLive } from "./service.ts";
import { runSpectral } from "./spectral.ts";

const OPENAPI = join(import.meta.dirname, "../../openapi");

const PROOFS: Readonly<Record<string, (...args: string[]) => Promise<boolean>>> = {
  spectral: runSpectral,
  schemathesis: runSchemathesis,
  conformance: runConformance,
};

const [first, ...others] = process.argv.slice(2);
const proof = PROOFS[first ?? ""];
const passed = proof ? await proof(...others) : await proveClients(first ? [first, ...others] : []);
if (!passed) process.exitCode = 1;

async function proveClients(wanted: readonly string[]): Promise<boolean> {
  const chosen = CLIENTS.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  if (chosen.length === 0)
    throw new Error(`no such generator; there are: ${CLIENTS.map((each) => each.name).join(", ")}`);
  // Without a story no service is needed: a check keeps the files equal to what it serves.
  const service = chosen.some(({ story }) => story) ? await startLive() : undefined;
  const results: Result[] = [];
  try {
    const descriptions = {
      public: (await service?.description("public")) ?? join(OPENAPI, "public.json"),
      device: (await service?.description("device")) ?? join(OPENAPI, "device.json"),
    };
    const environment: StoryEnvironment = service
      ? { BASE_URL: service.baseUrl, API_KEY: service.key, CA_FILE: service.caFile }
      : {};
    for (const client of chosen) {
      const result = await prove(client, descriptions, environment);
      console.log(lineOf(result));
      if (result.reason) console.log(result.reason.replaceAll(/^/gm, "    "));
      results.push(result);
    }
  } finally {
    await service?.stop();
  }
  const bad = process.env.CI ? ["failed", "missing"] : ["failed"];
  return results.every(({ outcome }) => !bad.includes(outcome));
}

function lineOf({ name, files, seconds, outcome }: Result): string {
  return `${name.padEnd(36)} ${String(files).padStart(5)} files ${String(seconds).padStart(5)} s  ${outcome}`;
}
