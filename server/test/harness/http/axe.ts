import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** The expression that a page with axe already loaded evaluates, instead of axe's half megabyte of source. */
const LOADED = "void 0";

/**
 * Returns axe's findings on the page: each rule with the start of the offending elements. The rules run in the page
 * itself, which shows everything, because the app has no frames of another origin. Axe's default opens a second page
 * for every result.
 *
 * @param rules the only rules to run; all if absent
 */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const loaded = await page.evaluate("typeof window.axe === 'object'");
  const axe = new AxeBuilder({ page, ...(loaded ? { axeSource: LOADED } : {}) }).setLegacyMode();
  axe.options({ resultTypes: ["violations"] });
  if (rules) axe.withRules([...rules]);
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}
