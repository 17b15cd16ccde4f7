import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { after, before } from "node:test";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGUMENTS, chromiumPath } from "../../../tools/chromium.ts";
import { missingTool, newFolder } from "../../src/pki/test-support/tools.ts";
import { enrollDevice, newTenant, type TestDevice } from "../harness/devices.ts";
import { browserTest } from "../harness/http/browser.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** How long the test watches a page that waits for its user's choice, which would wait forever. */
const ASKED_MS = 3_000;

let server: TestServer;
let device: TestDevice;

before(async () => {
  server = await startServer();
  device = await enrollDevice(server, await newTenant(server));
});
after(() => server?.stop());

function run(program: string, args: string): void {
  execFileSync(program, args.split(" "), { stdio: "pipe" });
}

type Folder = ReturnType<typeof newFolder>;

/**
 * Creates a home folder whose certificate store, which Chromium uses on Linux, contains the key and the certificate of
 * the folder.
 */
function fillStore(home: Folder): void {
  const store = home.file(".pki/nssdb");
  mkdirSync(store, { recursive: true });
  run("certutil", `-N -d sql:${store} --empty-password`);
  const [key, cert, bundle] = [home.file("key.pem"), home.file("cert.pem"), home.file("bundle.p12")];
  run("openssl", `pkcs12 -export -inkey ${key} -in ${cert} -out ${bundle} -passout pass:x`);
  run("pk12util", `-i ${bundle} -d sql:${store} -W x`);
}

/**
 * Opens the sign-in page in a browser with that home folder.
 * @returns its heading, or "asked" while the browser waits for its user
 */
async function open(home: Folder, timeout: number): Promise<string> {
  const env = { ...process.env, HOME: home.path } as Record<string, string>;
  const browser = await chromium.launch({ executablePath: chromiumPath()!, args: CHROMIUM_ARGUMENTS, env });
  try {
    const context = await browser.newContext({ baseURL: server.httpUrl });
    const page = await context.newPage();
    const opened = await page.goto("/sign-in", { timeout }).catch((error: Error) => error);
    if (opened instanceof Error) {
      assert.match(opened.message, /Timeout/);
      return "asked";
    }
    return (await page.getByRole("heading", { level: 1 }).textContent()) ?? "";
  } finally {
    await browser.close();
  }
}

browserTest("a browser asks for a certificate only if a device's was imported there", async (t) => {
  const missing = missingTool("pk12util");
  if (missing) return t.skip(missing);
  using employee = newFolder();
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=employee";
  run("openssl", `${request} -keyout ${employee.file("key.pem")} -out ${employee.file("cert.pem")}`);
  fillStore(employee);
  assert.match(await open(employee, 60_000), /Sign in/);

  using engineer = newFolder();
  writeFileSync(engineer.file("key.pem"), device.key);
  writeFileSync(engineer.file("cert.pem"), device.fullchain);
  fillStore(engineer);
  assert.equal(await open(engineer, ASKED_MS), "asked");
});
