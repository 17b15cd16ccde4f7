import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
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
import { type Authenticator, authenticator, turnOnFactor } from "../../harness/second-factor.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { PASSWORD, type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server?.stop());

const REFUSED = /\/api\/admin\/(session\/factor|factors.*|session\/step-up)$/;

/** Enables the second factor on the account page. */
async function turnOnByHand(window: Watched, where: string): Promise<Authenticator> {
  const { page } = window;
  await page.getByRole("button", { name: "Set up an authenticator app" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
  const uri = (await dialog.locator("[data-text]").getAttribute("data-text"))!;
  const secret = (await dialog.locator("[data-secret]").textContent())!.replaceAll(" ", "");
  assert.equal(new URL(uri).searchParams.get("secret"), secret);
  await assertSound(window, `${where} set-up`);
  const app = authenticator(server.clock, secret);
  await dialog.getByRole("textbox", { name: "Code" }).fill("000000");
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await dialog.getByText("The code is wrong.").waitFor();
  await dialog.getByRole("textbox", { name: "Code" }).fill(app.nextCode());
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await dialog.getByRole("list", { name: "Recovery codes" }).waitFor();
  return app;
}

/** Signs in by hand up to the code. */
async function givePassword(window: Watched, user: Pick<SignedIn, "email">): Promise<void> {
  await window.page.goto("/sign-in");
  await signInByHand(window, { email: user.email, password: PASSWORD });
  await window.page.getByRole("heading", { name: "Second factor" }).waitFor();
}

async function giveCode({ page }: Watched, code: string): Promise<void> {
  await page.getByRole("textbox", { name: /code/i }).fill(code);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

browserTest("second factor: once enabled with an app, the sign-in and dangerous actions ask for its code", async () => {
  const user = await signIn(server, tenant);
  const window = await openPage(server, { ...VIEWS[0], refused: REFUSED });
  const { page } = window;
  await useSession(window, server, user.cookie);
  await page.goto("/account");
  const app = await turnOnByHand(window, "second factor");
  await assertSound(window, "second factor codes");
  await page.getByRole("button", { name: "I have stored them" }).click();
  await page.getByText("10 left").waitFor();
  await assertSound(window, "second factor on");
  await page.getByRole("button", { name: `Account of ${user.email}` }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.waitForURL("**/sign-in");
  await givePassword(window, user);
  assert.equal(await page.getByRole("textbox", { name: "Code" }).getAttribute("autocomplete"), "one-time-code");
  await assertSound(window, "second factor sign-in");
  await page.reload();
  await page.getByRole("heading", { name: "Second factor" }).waitFor();
  await page.goto("/devices");
  await page.waitForURL("**/sign-in?next=**");
  await giveCode(window, "000000");
  await page.getByText("The code is wrong.").waitFor();
  await giveCode(window, app.nextCode());
  await page.waitForURL("**/devices");
  server.clock.advance(10 * MINUTE);
  await page.goto("/account");
  await page.getByRole("button", { name: "Turn off" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
  const stepUp = page.getByRole("dialog", { name: "Confirm that it is you" });
  await stepUp.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await stepUp.getByRole("textbox", { name: "Code" }).fill(app.code());
  await assertSound(window, "second factor step-up");
  await stepUp.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("The authenticator app is off.").waitFor();
  await page.getByRole("button", { name: "Set up an authenticator app" }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest(
  "recovery code: each downloaded code signs in once without the app, and new codes replace the old ones",
  async () => {
    const user = await signIn(server, tenant);
    const window = await openPage(server, { ...VIEWS[1], refused: REFUSED });
    const { page } = window;
    await useSession(window, server, user.cookie);
    await page.goto("/account");
    await turnOnByHand(window, "recovery code");
    await assertSound(window, "recovery code codes");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const file = await readFile((await (await saved).path())!, "utf8");
    const codes = file.match(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/gm)!;
    assert.equal(codes.length, 10);
    assert.match(file, new RegExp(`^Recovery codes of ${user.email} at `));
    await page.getByRole("button", { name: "I have stored them" }).click();
    await page.getByText("10 left").waitFor();
    await window.context.clearCookies();
    await givePassword(window, user);
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await assertSound(window, "recovery code sign-in");
    await giveCode(window, codes[0]!.toLowerCase());
    await page.waitForURL(`${server.httpUrl}/`);
    await page.goto("/account");
    await page.getByText("9 left").waitFor();
    await assertSound(window, "recovery code account");
    await page.getByRole("button", { name: "New recovery codes" }).click();
    await page.getByRole("button", { name: "Make new codes" }).click();
    await page.getByRole("button", { name: "I have stored them" }).click();
    await page.getByText("10 left").waitFor();
    await window.context.clearCookies();
    await givePassword(window, user);
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await giveCode(window, codes[1]!);
    await page.getByText("The code is wrong.").waitFor();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

browserTest("an administrator requires a second factor: users without one must set it up first", async () => {
  const place = await newTenant(server);
  const [admin, other] = [await signIn(server, place), await signIn(server, place)];
  const window = await openPage(server, { ...VIEWS[0], refused: REFUSED });
  const { page } = window;
  await useSession(window, server, admin.cookie);
  await page.goto("/settings");
  await page.getByText("Set up your own first").waitFor();
  assert.ok(await page.getByRole("button", { name: "Require it" }).isDisabled());
  await page.goto("/account");
  await turnOnByHand(window, "rule");
  await page.getByRole("button", { name: "I have stored them" }).click();
  await page.getByText("10 left").waitFor();
  await page.goto("/settings");
  await page.getByRole("button", { name: "Require it" }).click();
  await page.getByRole("dialog").getByText(other.email).waitFor();
  await assertSound(window, "rule confirmation");
  await page.getByRole("dialog").getByRole("button", { name: "Require it" }).click();
  await page.getByText("Required", { exact: true }).waitFor();
  await assertSound(window, "rule on");
  await page.goto("/account");
  await page.getByText("it cannot be turned off").waitFor();
  assert.ok(await page.getByRole("button", { name: "Turn off" }).isDisabled());
  await setsUpFirst(other);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

async function setsUpFirst(other: SignedIn): Promise<void> {
  const window = await openPage(server, { ...VIEWS[1], refused: REFUSED });
  const { page } = window;
  await page.goto("/sign-in?next=/devices");
  await signInByHand(window, other);
  await page.waitForURL("**/account");
  await page.getByText("Until you have set it up, nothing else can be done.").waitFor();
  await assertSound(window, "rule due");
  await turnOnByHand(window, "rule due");
  await page.getByRole("button", { name: "I have stored them" }).click();
  await page.getByText("10 left").waitFor();
  await page.goto("/devices");
  await page.getByRole("heading", { name: "Devices" }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
}

browserTest("an administrator sees who has a second factor, and removes that of a user who lost it", async () => {
  const [admin, user] = [await signIn(server, tenant), await signIn(server, tenant, "viewer")];
  await turnOnFactor(server, user);
  const window = await openPage(server, VIEWS[1]);
  const { page } = window;
  await useSession(window, server, admin.cookie);
  await page.goto(`/users?q=${encodeURIComponent(user.email)}`);
  await page.getByRole("link", { name: user.email }).waitFor();
  await assertSound(window, "users with factor");
  await page.getByRole("link", { name: user.email }).click();
  await page.getByRole("button", { name: "Remove second factor" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The sessions of the user end at once").waitFor();
  await assertSound(window, "user remove factor");
  await dialog.getByRole("button", { name: "Remove second factor" }).click();
  await page.getByText(`The second factor of ${user.email} is removed.`).waitFor();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Remove second factor" }).waitFor({ state: "detached" });
  assert.equal((await user.call("GET", "/session")).status, 401);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
