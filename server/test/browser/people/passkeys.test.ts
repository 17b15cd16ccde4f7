import assert from "node:assert/strict";
import { after, before } from "node:test";
import { MINUTE } from "../../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import {
  assertSound,
  browserTest,
  openPage,
  signInByHand,
  useSession,
  VIEWS,
  type Watched,
} from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { PASSWORD, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server?.stop());

const REFUSED = /\/api\/admin\/(passkeys.*|session\/.*|sign-in\/passkey\/.*)$/;

/** Gives the browser a built-in authenticator that verifies its user. */
async function addAuthenticator({
  context,
  page,
}: Watched): Promise<{ setVerified(verified: boolean): Promise<void> }> {
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setVerified: async (isUserVerified) =>
      void (await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified })),
  };
}

for (const [at, view] of VIEWS.entries())
  browserTest(
    `passkey: added, it signs in without a password, is the second factor after one, steps up, and is removed (${view.viewport.width})`,
    async () => {
      const user = await signIn(server, tenant);
      const window = await openPage(server, { ...view, refused: REFUSED });
      const { page } = window;
      const device = await addAuthenticator(window);
      await useSession(window, server, user.cookie);
      await page.goto("/account");
      await page.getByRole("button", { name: "Add a passkey" }).click();
      const adding = page.getByRole("dialog", { name: "Add a passkey" });
      await adding.getByRole("textbox", { name: "Name" }).fill("Laptop");
      await assertSound(window, `passkey add ${at}`);
      await adding.getByRole("button", { name: "Add a passkey" }).click();
      await page.getByRole("list", { name: "Recovery codes" }).waitFor();
      await page.getByRole("button", { name: "I have stored them" }).click();
      await page.getByText("Laptop").first().waitFor();
      await assertSound(window, `passkey account ${at}`);

      const signOut = async () => {
        await page.getByRole("button", { name: `Account of ${user.email}` }).click();
        await page.getByRole("button", { name: "Sign out", exact: true }).click();
        await page.waitForURL("**/sign-in");
      };
      await signOut();
      await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
      await assertSound(window, `passkey sign-in ${at}`);
      await device.setVerified(false);
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.getByText(/No passkey was used/).waitFor();
      await device.setVerified(true);
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.getByRole("button", { name: `Account of ${user.email}` }).waitFor();

      await signOut();
      await signInByHand(window, { email: user.email, password: PASSWORD });
      await page.getByRole("heading", { name: "Second factor" }).waitFor();
      await page.getByRole("button", { name: "Use a passkey" }).waitFor();
      await page.getByRole("textbox", { name: "Recovery code" }).waitFor();
      await assertSound(window, `passkey second factor ${at}`);
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await page.getByRole("button", { name: `Account of ${user.email}` }).waitFor();

      server.clock.advance(10 * MINUTE);
      await page.goto("/account");
      await page.getByRole("button", { name: "Rename" }).click();
      const renaming = page.getByRole("dialog", { name: "Rename the passkey" });
      await renaming.getByRole("textbox", { name: "Name" }).fill("Blue laptop");
      await renaming.getByRole("button", { name: "Rename" }).click();
      await page.getByText("Blue laptop").first().waitFor();
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      const removing = page.getByRole("dialog", { name: "Remove Blue laptop?" });
      await removing.getByRole("button", { name: "Remove" }).click();
      const stepUp = page.getByRole("dialog", { name: "Confirm that it is you" });
      await stepUp.getByRole("button", { name: "Use a passkey" }).waitFor();
      await assertSound(window, `passkey step-up ${at}`);
      await stepUp.getByRole("button", { name: "Use a passkey" }).click();
      await page.getByText("The passkey is removed.").waitFor();
      assert.deepEqual(window.problems, []);
      await window.context.close();
    },
  );
