import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SCOPES } from "../../server/src/access/access.ts";
import { foreignEnvironment } from "../../server/src/config/config.ts";
import { openDemo, runSteps } from "../../server/src/demo/demo.ts";
import { ADMIN, TENANT } from "../../server/src/demo/demo-state.ts";
import { CACHE } from "./cache.ts";
import { startKeyProxy } from "./key-proxy.ts";
import { missing, pythonWith } from "./programs.ts";

const SCHEMATHESIS = ["schemathesis==4.32.5"];
const USUAL_MINUTES = "20";

/** The service may not fail, and may not answer with a status, a type or a body that the description lacks. */
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
];

/** Operations that are not called, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  followEvents: "the answer does not end",
};

/** Enough that 120 requests a minute each do not limit one machine. */
const KEYS = 40;

/**
 * Sends generated requests to the demo's service for some minutes, which follow the links of the description from one
 * operation to the next. Requests go through a proxy that takes the next of many keys, because one may send only 120
 * requests a minute.
 */
export async function runSchemathesis(minutes = USUAL_MINUTES): Promise<boolean> {
  const absent = missing(["python3"]);
  if (absent) throw new Error(absent);
  const bin = await pythonWith("schemathesis", SCHEMATHESIS);
  const demo = await openDemo(foreignEnvironment(), { showMessage: () => undefined });
  try {
    await runSteps(demo.state, () => undefined);
    const { service, folder } = demo.state;
    const keys: string[] = [];
    for (let number = 1; number <= KEYS; number++) {
      const wanted = { tenant: TENANT, user: ADMIN, name: `schemathesis ${number}`, scopes: [...SCOPES] };
      keys.push(String((await service.command("key.create", wanted)).key));
    }
    const caFile = join(folder, "schemathesis-ca.pem");
    writeFileSync(caFile, service.ca);
    let next = 0;
    const proxy = await startKeyProxy({ baseUrl: service.baseUrl, caFile }, () => ({
      "x-api-key": keys[next++ % keys.length]!,
    }));
    try {
      return await fuzz(join(bin, "st"), proxy.url, Number(minutes));
    } finally {
      for (const [name, count] of [...proxy.answers].sort()) console.log(`${name.padEnd(12)} ${count}`);
      await proxy.stop();
    }
  } finally {
    await demo.close();
  }
}

async function fuzz(program: string, url: string, minutes: number): Promise<boolean> {
  for (const [operation, reason] of Object.entries(LEFT_OUT)) console.log(`${operation} is not called: ${reason}`);
  const args = [
    ["run", `${url}/openapi/public.json`, "--url", url, "--no-color"],
    ["--max-time", String(minutes * 60), "--phases", "examples,coverage,fuzzing,stateful"],
    ["--checks", CHECKS.join(","), "--continue-on-failure", "--request-timeout", "20"],
    Object.keys(LEFT_OUT).flatMap((operation) => ["--exclude-operation-id", operation]),
    ["--suppress-health-check", "all", "--warnings", "off", "--output-truncate", "false"],
    ["--report", "ndjson", "--report-dir", join(CACHE, "schemathesis-report")],
  ].flat();
  const child = spawn(program, args, { stdio: "inherit", cwd: CACHE });
  const [code] = await once(child, "exit");
  return code === 0;
}
