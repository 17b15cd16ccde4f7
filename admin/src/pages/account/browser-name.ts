import { t } from "#texts/pages/account.ts";

/** Returns the browser's name as its user knows it, such as "Firefox on Android". */
export function browserName(): string {
  const { userAgent } = navigator;
  const [browser = t.browser] = /Edg|Firefox|Chrome|Safari/.exec(userAgent) ?? [];
  const [system = ""] = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(userAgent) ?? [];
  return system === "" ? browser : t.browserOn(browser.replace("Edg", "Edge"), system);
}
