import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** What a page that has axe is given in place of its half a megabyte of source. */
const LOADED = "void 0";

/**
 * What axe finds wrong with a page as it is: each rule with the beginning of the elements that break it. The rules run in the page, which
 * is the whole of what is shown: the app has no frames of another origin, and the alternative opens a second page for every result.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  const loaded = await page.evaluate("typeof window.axe === 'object'");
  const axe = new AxeBuilder({ page, ...(loaded ? { axeSource: LOADED } : {}) }).setLegacyMode();
  const { violations } = await axe.options({ resultTypes: ["violations"] }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}
