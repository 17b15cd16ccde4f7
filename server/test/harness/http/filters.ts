import type { Page } from "playwright-core";

interface Wanted {
  /** Chooses the records without the value. */
  not?: boolean;
}

/** Adds a filter of a list, or opens it, and chooses a value. */
export async function chooseFilter(page: Page, label: string, option: string, { not }: Wanted = {}): Promise<void> {
  const chip = await openFilter(page, label);
  if (not !== undefined) await chip.getByLabel("Condition").selectOption({ label: not ? "is not" : "is" });
  await chip.getByLabel(option, { exact: true }).check();
  await page.keyboard.press("Escape");
}

/** Adds or opens a filter by a time, such as `2026-11-22T14:30`; the empty text removes it. */
export async function fillFilter(page: Page, label: string, value: string): Promise<void> {
  const chip = await openFilter(page, label);
  if (value === "") return await chip.getByRole("button", { name: `Remove the filter ${label}` }).click();
  await chip.locator("input").fill(value);
  await page.keyboard.press("Escape");
}

async function openFilter(page: Page, label: string) {
  const chip = page.getByRole("search", { name: "Filters" }).getByRole("group", { name: label, exact: true });
  if ((await chip.count()) > 0) {
    const said = chip.getByRole("button", { expanded: false });
    if ((await said.count()) > 0) await said.first().click();
  } else await page.getByLabel("Add filter").selectOption({ label });
  return chip;
}
