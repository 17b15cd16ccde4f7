import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import { SCOPES } from "../../src/access/access.ts";
import { publicDocument } from "../../src/api/openapi/openapi.ts";
import { newKey, newTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const ROOT = join(import.meta.dirname, "../../..");
const CLIENT = join(ROOT, "tools/api-client");
const GENERATOR = join(CLIENT, "node_modules/openapi-typescript/bin/cli.js");

const STRICT = {
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    types: ["node"],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
  files: ["main-flow.ts"],
};

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "muster-client-"));
let server: TestServer;

before(async () => {
  // A user's project: the generated client, their program, and the packages beside them.
  copyFileSync(join(CLIENT, "main-flow.ts"), join(folder, "main-flow.ts"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(STRICT));
  writeFileSync(join(folder, "public.json"), JSON.stringify(publicDocument()));
  const generated = run(process.execPath, [GENERATOR, "public.json", "-o", "public.ts"], { cwd: folder });
  [server] = await Promise.all([startServer(), generated]);
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server?.stop();
});

test("a program with the generated client type-checks in strict mode", async () => {
  const compiled = await run(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder]).catch((error) => error);
  assert.equal(compiled.stdout, "");
});

test("the program runs the main flow, from the first group to the revoked certificate and the ticket", async () => {
  const tenant = await newTenant(server);
  const shift = await server.app.groups.createShift(tenant.caller, {
    name: "Nights",
    timeZone: "Europe/Berlin",
    startTime: "22:00",
    endTime: "06:00",
    daysOfWeek: ["mon"],
    userIds: [tenant.admin.id],
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
  const { stdout } = await run(process.execPath, ["main-flow.ts"], {
    cwd: folder,
    env: {
      NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
      BASE_URL: server.httpUrl,
      API_KEY: await newKey(server, tenant, ...SCOPES),
      CSR: makeCsr(await makeKey()),
      SHIFT_ID: shift.id,
    },
  });
  const { deviceId, ticket } = JSON.parse(stdout);
  assert.equal((await server.app.devices.getDevice(tenant.caller, deviceId)).name, "Feed pump 1");
  assert.equal(ticket, 1);
});
