import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { DemoState } from "../../server/src/demo/demo-state.ts";

/** The user who signs in. */
export interface User {
  email: string;
  password: string;
}

/** Returns the options with which a browser reaches the demo, whose certificate no browser trusts. */
export function addressOf({ service }: DemoState): BrowserContextOptions {
  return { baseURL: service.baseUrl };
}

export async function signIn(page: Page, { email, password }: User): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => url.pathname !== "/sign-in");
}

/** The demo's operator after the first sign-in, which replaces the generated password. */
export async function choosePassword(browser: Browser, state: DemoState): Promise<User> {
  const { email } = state.operator;
  const { password: drawn } = await state.service.command("user.reset-password", { email });
  const password = `${drawn}-of-my-own`;
  const page = await browser.newPage(addressOf(state));
  await signIn(page, { email, password: String(drawn) });
  await page.getByLabel("Current password").fill(String(drawn));
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByLabel("Repeat the new password").fill(password);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Choose a password of your own").waitFor({ state: "detached" });
  await page.close();
  return { email, password };
}
