import { createAdministrator } from "../../load/administrator.ts";
import { createTenant } from "../../load/tenant.ts";
import { startBrowser } from "../fixtures/browser.ts";
import { group, row, setting } from "../run.ts";
import { onEmbedded } from "../site.ts";
import { appLive } from "./app-live.ts";
import { appLoad } from "./app-load.ts";

/** More devices than a page of the list shows. */
const LISTED_DEVICES = 60;

/** The admin app in Chromium, on the embedded database. */
export async function appInBrowser(): Promise<void> {
  await group(["app-load", "app-live"], async () => {
    const browser = await startBrowser();
    const work = onEmbedded(({ serve }) =>
      serve(async (muster) => {
        const identities = await (await createTenant(muster, "bench")).newDevices(LISTED_DEVICES);
        const cookie = await (await createAdministrator(muster, "bench")).newSession();
        const minutes = setting("minutes", 1);
        await row("app-load", () => appLoad(browser, muster, cookie));
        await row("app-live", () => appLive(browser, muster, { cookie, identity: identities[0]!, minutes }));
      }),
    );
    await work.finally(() => browser.close());
  });
}
