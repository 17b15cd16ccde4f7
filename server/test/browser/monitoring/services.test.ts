import assert from "node:assert/strict";
import { after, before } from "node:test";
import { pressConfirm } from "../../harness/confirm-channels.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { assertSoundInAllViews, browserTest, openPage, useSession, VIEWS } from "../../harness/http/browser.ts";
import { type Sinks, startSinks } from "../../harness/http/sinks.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let sinks: Sinks;
let tenant: TestTenant;

before(async () => {
  sinks = await startSinks();
  server = await startServer({ env: sinks.env });
  tenant = await newTenant(server);
});
after(async () => {
  await server?.stop();
  await sinks?.stop();
});

browserTest(
  "an admin adds Slack to a group, presses the button in the test message, and removes it again",
  async () => {
    const { app, ca } = server;
    const admin = await signIn(server, tenant);
    const { id } = await app.groups.createGroup(tenant.caller, { name: "Pump hall" });
    const window = await openPage(server, { ...VIEWS[0], refused: /\/integrations$/ });
    await useSession(window, server, admin.cookie);
    const { page } = window;
    await page.goto(`/groups/${id}`);
    await page.getByRole("button", { name: "Add a channel" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a channel" });
    await dialog.getByLabel("Kind").selectOption({ label: "Slack" });
    await dialog.getByLabel("Name").fill("#pumps");
    const address = dialog.getByLabel("Address of the incoming webhook");
    await address.fill("http://hooks.slack.example/T0/s3cret");
    await dialog.getByRole("button", { name: "Add channel", exact: true }).click();
    await dialog.getByText("must be an https address").waitFor();
    await assertSoundInAllViews(window, "add-service");
    await address.fill(sinks.hookUrl("/service/slack/s3cret"));
    await dialog.getByRole("button", { name: "Add channel", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    const channels = page.getByRole("table", { name: "Channels" });
    await channels.getByText("#pumps").waitFor();
    await channels.getByText("Slack").waitFor();

    await app.notifications.runDue();
    const [question] = sinks.hooksAt("/service/slack/s3cret");
    const { url } = JSON.parse(question!.body).blocks.at(-1).elements[0];
    assert.match(await pressConfirm(url, ca), /Confirmed/);
    await page.reload();
    await channels.getByText("confirmed").waitFor();
    assert.ok(!(await page.content()).includes("s3cret"), "the address of the webhook is not shown again");
    await assertSoundInAllViews(window, "group-with-service");

    await channels.getByRole("button", { name: "Remove" }).click();
    await page.getByText("Its settings are deleted unless another group sends to it.").waitFor();
    await page.getByRole("button", { name: "Remove channel" }).click();
    await page.getByText("The group has no channel.").waitFor();
    await page.getByText("Saved.").waitFor();
    assert.deepEqual((await admin.call("GET", "/integrations")).json.items, []);
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);
