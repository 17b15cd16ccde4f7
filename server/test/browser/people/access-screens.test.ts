import assert from "node:assert/strict";
import { after, before } from "node:test";
import { enrollDevice, newTenant, type TestTenant } from "../../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession } from "../../harness/http/browser.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  await fill();
});
after(() => server?.stop());

/** A key with a write scope, and an MQTT client. */
async function fill(): Promise<void> {
  const { access, connections } = server.app;
  const scopes = ["groups:*"];
  const { key } = await access.createKey(tenant.caller, { user: tenant.admin.email, name: "SCADA", scopes });
  const headers = { "x-api-key": key };
  await https(`${server.httpUrl}/api/v1/groups`, { ca: server.ca, headers, body: { name: "Hall" } });
  const topics = { publish: [], subscribe: [`t/${tenant.slug}/telemetry/+`] };
  await connections.createMqttClient(tenant.caller, { clientId: "gateway", username: "gateway", ...topics });
}

browserTest("a key is created with the chosen scopes, works, and is refused once it is revoked", async () => {
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, admin.cookie);
  await page.goto("/keys");
  await page.getByRole("button", { name: "Create API key" }).first().click();
  await page.getByLabel("Name").fill("Dashboard");
  await page.getByRole("dialog").getByRole("button", { name: "Create API key" }).click();
  await page.getByText("Choose at least one scope.").waitFor();
  await page.getByRole("checkbox", { name: "devices:read" }).check();
  await page.getByRole("checkbox", { name: "tickets:write" }).check();
  await assertSound(window, "keys create");
  await page.getByRole("dialog").getByRole("button", { name: "Create API key" }).click();
  const key = (await page.locator("[data-secret]").textContent())!;
  await assertSound(window, "keys once");
  assert.equal((await devicesWith(key)).status, 200);
  assert.match((await page.locator("pre").textContent())!, new RegExp(`X-API-Key: ${key}`));
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("link", { name: "Dashboard" }).click();
  await page.getByText("Nothing was written with this key.").waitFor();
  await assertSound(window, "keys shown");
  await page.getByRole("button", { name: "Revoke" }).click();
  const id = key.split("_")[1]!;
  await page.getByLabel(`Type ${id} to confirm`).fill(id);
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("This key is refused.").waitFor();
  await page.getByText("it was revoked, by you").waitFor();
  await page.getByRole("link", { name: /Show the entry of the audit/ }).waitFor();
  assert.equal((await devicesWith(key)).status, 401);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

// Without entries, a list has the button in its middle; the first entry takes its place.
browserTest("the first key and the first MQTT client show their secret until the user closes it", async () => {
  const user = await signIn(server, await newTenant(server));
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, user.cookie);
  const dialog = page.getByRole("dialog");
  const secretOf = async (row: string) => {
    await page.locator("tr", { hasText: row }).waitFor();
    return dialog.locator("[data-secret]").textContent();
  };
  await page.goto("/keys");
  await page.locator(".empty").getByRole("button", { name: "Create API key" }).click();
  await dialog.getByLabel("Name").fill("Dashboard");
  await dialog.getByRole("checkbox", { name: "devices:read" }).check();
  await dialog.getByRole("button", { name: "Create API key" }).click();
  assert.equal((await devicesWith((await secretOf("Dashboard"))!)).status, 200);
  await page.goto("/mqtt-clients");
  await page.locator(".empty").getByRole("button", { name: "Register MQTT client" }).click();
  await dialog.getByLabel("Client id").fill("hall-gateway");
  await dialog.getByLabel("User name").fill("hall");
  await dialog.getByRole("button", { name: "Register" }).click();
  assert.ok(await secretOf("hall-gateway"));
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

function devicesWith(key: string) {
  return https(`${server.httpUrl}/api/v1/devices`, { ca: server.ca, headers: { "x-api-key": key } });
}

browserTest("a device type is created and changed, and its page lists devices with former topics", async () => {
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, admin.cookie);
  const device = await enrollDevice(server, tenant);
  await page.goto("/device-types");
  await page.getByRole("button", { name: "Create device type" }).click();
  await page.getByLabel("Name").fill("Valve");
  await page.getByLabel("Publishes on").fill("valves/{deviceId}\n\nalarms/{deviceId}");
  await page.getByRole("dialog").getByRole("button", { name: "Create device type" }).click();
  await page.getByText("valves/{deviceId}, alarms/{deviceId}").waitFor();
  await page.getByRole("link", { name: "Pump" }).click();
  await page.getByText("Every live certificate of this type has its present topics.").waitFor();
  await page.getByRole("button", { name: "Change" }).click();
  await page.getByLabel("Publishes on").fill("pumps/{deviceId}");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(device.deviceId).waitFor();
  await page.getByRole("button", { name: "Delete", disabled: true }).waitFor();
  await assertSound(window, "device type");
  await window.context.close();
});

browserTest("an MQTT client is registered, gets a new password, is disabled, enabled and deleted", async () => {
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, admin.cookie);
  await page.goto("/mqtt-clients");
  await page.getByRole("button", { name: "Register MQTT client" }).first().click();
  await page.getByLabel("Client id").fill("scada");
  await page.getByLabel("User name").fill("scada");
  await page.getByRole("button", { name: "Register", exact: true }).click();
  const first = await page.locator("[data-secret]").textContent();
  await page.getByText(/mosquitto_(pub|sub) -V mqttv5/).waitFor();
  await assertSound(window, "mqtt client once");
  await page.getByRole("button", { name: "I have copied it" }).click();
  const row = page.getByRole("row", { name: "scada scada" });
  await row.getByRole("button", { name: "New password" }).click();
  await page.getByRole("button", { name: "Make a new password" }).click();
  await page.getByRole("button", { name: "I have copied it" }).waitFor();
  assert.notEqual(await page.locator("[data-secret]").textContent(), first);
  await page.getByRole("button", { name: "I have copied it" }).click();
  await row.getByRole("button", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Disable MQTT client" }).click();
  await row.getByText("Disabled").waitFor();
  await row.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("button", { name: "Enable MQTT client" }).click();
  await row.getByText("Not connected").waitFor();
  await row.getByRole("button", { name: "Delete" }).click();
  await page.getByLabel("Type scada to confirm").fill("scada");
  await page.getByRole("button", { name: "Delete MQTT client" }).click();
  await row.waitFor({ state: "detached" });
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("audits and histories name the actor, even a deleted user", async () => {
  const gone = await signIn(server, tenant);
  const device = { id: "press-1", name: "Press 1" };
  assert.equal((await gone.call("POST", "/devices", { body: device })).status, 201);
  await server.app.access.deleteUser(tenant.caller, gone.email);
  const stays = await signIn(server, tenant);
  assert.equal((await stays.call("POST", "/devices", { body: { id: "press-2", name: "Press 2" } })).status, 201);
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, admin.cookie);
  const asked: string[] = [];
  page.on("request", (request) => void (request.url().includes("/actors?") && asked.push(request.url())));
  await page.goto("/audit");
  await page.getByText(`${gone.email} (deleted)`).first().waitFor();
  const actors = asked.flatMap((url) => new URL(url).searchParams.get("actors")!.split(","));
  assert.ok(asked.length < actors.length, "several actors are one look-up");
  const repeats = actors.filter((actor) => actors.filter((other) => other === actor).length > 2);
  assert.deepEqual(repeats, [], "an actor is looked up once, and once more when the event of the deletion arrives");
  const added = page.getByRole("row", { name: /Device added device Press 1/ });
  await added.getByRole("link", { name: "Device added" }).click();
  const entry = page.getByRole("dialog", { name: "Device added" });
  await entry.getByText("device.create").waitFor();
  await entry.getByRole("link", { name: "device Press 1" }).waitFor();
  await page.goto("/audit?of=api");
  await page.getByRole("link", { name: "API key SCADA" }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a viewer is not offered actions that require an administrator", async () => {
  const viewer = await signIn(server, tenant, "viewer");
  const window = await openPage(server);
  await useSession(window, server, viewer.cookie);
  await window.page.goto("/device-types");
  await window.page.getByRole("link", { name: "Pump" }).waitFor();
  assert.equal(await window.page.getByRole("button", { name: "Create device type" }).count(), 0);
  for (const title of ["API keys", "MQTT clients", "Audit", "Settings"]) {
    assert.equal(await window.page.getByRole("link", { name: title }).count(), 0, title);
  }
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

// This is last because a step-up replaces the session of the browser.
browserTest(
  "the name of the tenant and its retention are changed, after the password if the sign-in is old",
  async () => {
    const window = await openPage(server, { refused: /tenant$/ });
    const { page } = window;
    await useSession(window, server, admin.cookie);
    await page.goto("/settings");
    await page.getByText("Nothing is changed.").waitFor();
    await page.getByRole("textbox", { name: "Name" }).fill("Acme Valves");
    await page.getByLabel("Telemetry is stored for").selectOption({ label: "365 days" });
    server.clock.advance(11 * 60_000);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Password" }).fill(admin.password);
    await page.getByRole("button", { name: "Confirm", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    await page.reload();
    await page.getByText("Nothing is changed.").waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "Acme Valves");
    assert.equal(await page.getByLabel("Telemetry is stored for").inputValue(), "365");
    const { telemetryRetentionDays } = await server.app.access.getTenant(tenant.caller);
    assert.equal(telemetryRetentionDays, 365);
    await page.goto("/audit");
    await page
      .getByRole("row", { name: /Settings changed Acme Valves/ })
      .getByText("you")
      .waitFor();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);
