import assert from "node:assert/strict";
import { after, before } from "node:test";
import mqtt from "mqtt";
import { enrollDevice, newTenant, type TestTenant } from "../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession } from "../harness/http/browser.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { newBrowser, type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let first: SignedIn;

const FIRST = { slug: "acme", name: "Acme Pumps" };

before(async () => {
  server = await startServer();
  const { access } = server.app;
  await access.createTenant(FIRST);
  first = await signIn(server, { caller: await access.systemCaller(FIRST.slug) });
  assert.equal((await first.call("GET", "/session")).json.user.platform, true);
  tenant = await newTenant(server);
});
after(() => server?.stop());

browserTest(
  "the checks of the service run again on demand, and clients without a tenant are listed with the remedy",
  async () => {
    const guesser = {
      clientId: "guesser",
      username: "guesser",
      password: "guessed",
      ca: server.ca,
      reconnectPeriod: 0,
    };
    await assert.rejects(mqtt.connectAsync(`mqtts://localhost:${server.mqttPort}`, guesser));
    const window = await openPage(server);
    const { page } = window;
    await useSession(window, server, first.cookie);
    await page.goto("/platform?of=checks");
    await page.getByText("Every rule holds.").waitFor();
    const [answer] = await Promise.all([
      page.waitForResponse(/platform\/doctor$/),
      page.getByRole("button", { name: "Check again" }).click(),
    ]);
    assert.equal(answer.status(), 200);
    await page.getByRole("link", { name: "Refused clients" }).last().click();
    await page.getByText("guesser").first().waitFor();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

browserTest(
  "the platform's operator creates a tenant, whose administrator gets a password; other users have no platform pages",
  async () => {
    const window = await openPage(server);
    const { page } = window;
    await useSession(window, server, first.cookie);
    await page.goto("/platform");
    await page.getByRole("button", { name: "Create tenant" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Globex");
    await page.getByRole("textbox", { name: "Topic segment" }).fill("globex");
    await page.getByRole("textbox", { name: /first administrator/ }).fill("hank@globex.example");
    await page.getByRole("dialog").getByRole("button", { name: "Create tenant" }).click();
    const password = (await page.locator("[data-secret]").textContent())!;
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByText("t/globex/").waitFor();
    const body = { email: "hank@globex.example", password };
    assert.equal((await newBrowser(server).call("POST", "/session", { body })).status, 200);
    assert.deepEqual(window.problems, []);
    await window.context.close();
    const other = await openPage(server);
    await useSession(other, server, (await signIn(server, tenant)).cookie);
    await other.page.goto("/settings");
    await other.page.getByRole("table").waitFor();
    assert.equal(await other.page.getByRole("link", { name: "Platform" }).count(), 0);
    await other.context.close();
  },
);

// This is last because a step-up replaces the session of the browser.
browserTest(
  "the intermediate is rotated after its name and the password are entered, and the new one issues from then on",
  async () => {
    const window = await openPage(server, { refused: /platform\/ca$/ });
    const { page } = window;
    await useSession(window, server, first.cookie);
    await page.goto("/platform?of=authorities");
    const rows = page.getByRole("row", { name: /Intermediate of devices/ });
    await rows.first().waitFor();
    assert.equal(await rows.count(), 1);
    server.clock.advance(11 * 60_000);
    await page.getByRole("button", { name: "Rotate intermediate" }).click();
    const rotate = page.getByRole("dialog").getByRole("button", { name: "Rotate intermediate" });
    assert.equal(await rotate.isDisabled(), true);
    await page.getByLabel("Type rotate to confirm").fill("rotate");
    await assertSound(window, "rotate the intermediate");
    await rotate.click();
    await page.getByRole("dialog", { name: "Confirm that it is you" }).getByRole("textbox").fill(first.password);
    await page.getByRole("button", { name: "Confirm", exact: true }).click();
    await page.getByText("The rotation has begun.").waitFor();
    await rows.getByText("Retiring").waitFor();
    await rows.getByText("Active").waitFor();
    const device = await enrollDevice(server, tenant);
    const [certificate] = (
      await server.app.certificates.listCertificates(tenant.caller, { skip: 0, limit: 1, deviceId: device.deviceId })
    ).items;
    const { issuers } = await server.app.enrollment.showCertificateChain(tenant.caller, certificate!.id);
    await page
      .getByRole("row", { name: new RegExp(issuers[0]!.name) })
      .getByText("Active")
      .waitFor();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);
