import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertSound, browserTest, openPage, useSession, VIEWS } from "../harness/browser.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { newBrowser, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let cookie: string;

const FIRST = { slug: "acme", name: "Acme Pumps" };

before(async () => {
  server = await startServer();
  const { access } = server.app;
  await access.createTenant(FIRST);
  const first = await signIn(server, { caller: await access.systemCaller(FIRST.slug) });
  assert.equal((await first.call("GET", "/session")).json.user.platform, true);
  cookie = first.cookie;
  tenant = await newTenant(server);
});
after(() => server?.stop());

const PARTS = ["", "?of=authorities", "?of=checks"];

for (const view of VIEWS) {
  browserTest(`the platform is sound at ${view.viewport.width} pixels, ${view.colorScheme}`, async () => {
    const window = await openPage(server, view);
    await useSession(window, server, cookie);
    for (const part of PARTS) {
      await window.page.goto(`/platform${part}`);
      await window.page.getByRole("table").waitFor();
      await assertSound(window, `platform ${part} ${view.colorScheme}`);
    }
    await window.context.close();
  });
}

browserTest(
  "the platform's operator creates a tenant, whose administrator gets a password; others have no platform",
  async () => {
    const window = await openPage(server);
    const { page } = window;
    await useSession(window, server, cookie);
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
