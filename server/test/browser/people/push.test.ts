import assert from "node:assert/strict";
import { after, before } from "node:test";
import { newTenant } from "../../harness/devices.ts";
import { assertSoundInAllViews, browserTest, openPage, useSession } from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { signIn } from "../../harness/sign-in.ts";

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server?.stop());

/** Headless Chromium has no push service, so the browser delivers the message itself. */
browserTest("a browser is asked for notifications, and its worker shows a page that arrives", async () => {
  const user = await signIn(server, await newTenant(server), "viewer");
  const window = await openPage(server);
  await useSession(window, server, user.cookie);
  const { context, page } = window;
  await context.grantPermissions(["notifications"], { origin: server.httpUrl });
  await page.goto("/account");
  await page.getByRole("button", { name: "Notify this browser" }).waitFor();
  await assertSoundInAllViews(window, "notify-this-browser");
  await page.getByRole("button", { name: "Notify this browser" }).click();
  await page.getByText("The browser could not reach its push service.").waitFor();

  const devTools = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    devTools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [registration] }) => {
      if (registration) resolve(registration.registrationId);
    }),
  );
  await devTools.send("ServiceWorker.enable");
  const message = { title: "CRITICAL: Pump 7", body: "Value: 95", tag: "a1", url: `${server.httpUrl}/anomalies` };
  await devTools.send("ServiceWorker.deliverPushMessage", {
    origin: server.httpUrl,
    registrationId: await registered,
    data: JSON.stringify(message),
  });
  const shown = await page.waitForFunction(`(async () => {
    const [registration] = await navigator.serviceWorker.getRegistrations();
    const [notification] = await registration.getNotifications();
    return notification && { title: notification.title, body: notification.body, data: notification.data };
  })()`);
  assert.deepEqual(await shown.jsonValue(), { title: message.title, body: message.body, data: { url: message.url } });
  await context.close();
});
