import assert from "node:assert/strict";
import { after, before } from "node:test";
import { SECOND } from "../../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { assertSoundInAllViews, browserTest, openPage, useSession, type Watched } from "../../harness/http/browser.ts";
import { type Sinks, startSinks } from "../../harness/http/sinks.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { signIn } from "../../harness/sign-in.ts";

/** The receiver of the audits, as an admin sets, watches and removes it. */
let sinks: Sinks;
let server: TestServer;

before(async () => {
  sinks = await startSinks();
  server = await startServer({ env: sinks.env });
});
after(async () => {
  await server?.stop();
  await sinks?.stop();
});

/** Opens the stream's tab as a user of the tenant. */
async function openStream(tenant: TestTenant): Promise<Watched> {
  const window = await openPage(server, { refused: /\/audit\/stream$/ });
  await useSession(window, server, (await signIn(server, tenant)).cookie);
  await window.page.goto("/audit?of=stream");
  return window;
}

/** Delivers once, and shows what came of it. */
async function deliver({ page }: Watched): Promise<void> {
  const { notifications } = server.app;
  server.clock.advance(30 * SECOND);
  await notifications.tickAuditStreams();
  await notifications.auditStreamsIdle();
  await page.reload();
}

/** Returns the value of a fact on the screen. */
const fact = ({ page }: Watched, name: string) =>
  page.locator("dl > div", { has: page.getByText(name, { exact: true }) }).locator("dd");

browserTest("an admin sets a receiver, sees its lag and why it fails, and ends the stream", async () => {
  const tenant = await newTenant(server);
  const path = `/service/${tenant.slug}`;
  const window = await openStream(tenant);
  const { page } = window;
  await page.getByText("The audits are not sent anywhere").waitFor();
  await assertSoundInAllViews(window, "audit stream none");

  await page.getByRole("button", { name: "Set receiver" }).click();
  const form = page.getByRole("dialog", { name: "Receiver" });
  await form.getByLabel("Receiver", { exact: true }).fill("http://siem.example.com/");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("begins with https://").waitFor();
  await assertSoundInAllViews(window, "audit stream form");
  await form.getByLabel("Receiver", { exact: true }).fill(sinks.hookUrl(path));
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").getByText("Signing secret").first().waitFor();
  await assertSoundInAllViews(window, "audit stream secret");
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByText("Has sent nothing yet").waitFor();

  await server.app.groups.createGroup(tenant.caller, { name: "Pump hall" });
  await deliver(window);
  await fact(window, "Waiting entries").getByText(/^0/).waitFor();
  await page.getByText("Delivers", { exact: true }).waitFor();
  assert.ok(sinks.hooksAt(path).some(({ body }) => body.includes("Pump hall")));

  sinks.behave.service = () => ({ status: 503 });
  await server.app.groups.createGroup(tenant.caller, { name: "Well 4" });
  await deliver(window);
  await page.getByText("Fails", { exact: true }).waitFor();
  await fact(window, "Last error").getByText("answered 503").waitFor();
  await fact(window, "Waiting entries")
    .getByText(/^1 \(the oldest: /)
    .waitFor();
  await assertSoundInAllViews(window, "audit stream fails");
  sinks.behave.service = () => ({ status: 200 });
  await deliver(window);
  await page.getByText("Delivers", { exact: true }).waitFor();
  assert.equal(await page.getByText("Last error").count(), 0);

  await page.getByRole("button", { name: "End stream" }).click();
  const question = page.getByRole("dialog", { name: "End the stream?" });
  await question.getByText("Waiting entries are not sent.").waitFor();
  await question.getByRole("button", { name: "End stream" }).click();
  await page.getByText("The audits are not sent anywhere").waitFor();
  assert.equal(await server.app.notifications.getAuditStream(tenant.caller), null);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("entries that the receiver never gets are said in red", async () => {
  const tenant = await newTenant(server);
  const body = JSON.stringify({ partialSuccess: { rejectedLogRecords: 1 } });
  sinks.behave.service = () => ({ status: 200, body });
  await server.app.notifications.setAuditStream(tenant.caller, {
    kind: "otlp",
    target: sinks.hookUrl("/service/picky"),
  });
  const window = await openStream(tenant);
  await deliver(window);
  sinks.behave.service = () => ({ status: 200 });
  await window.page.getByText("Entries are missing at the receiver").waitFor();
  await window.page.getByText(/^\d+ (entry|entries) did not arrive: refused/).waitFor();
  await assertSoundInAllViews(window, "audit stream lost");
  await window.context.close();
});

browserTest("an operator is offered no stream", async () => {
  const tenant = await newTenant(server);
  const window = await openPage(server);
  await useSession(window, server, (await signIn(server, tenant, "operator")).cookie);
  await window.page.goto("/");
  await window.page.getByRole("button", { name: /^Account of/ }).waitFor();
  assert.equal(await window.page.getByRole("link", { name: "Audit" }).count(), 0);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
