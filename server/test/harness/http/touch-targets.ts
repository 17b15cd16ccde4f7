import type { Page } from "playwright-core";

/** The least height of a target on a phone, in CSS pixels (WCAG 2.5.5). */
const LEAST = 44;

/** Targets that have an equivalent: the marks of a chart are also a list, and the skip link is for keyboards. */
const EXEMPT = ".shell-skip, .chart-mark, :disabled";

/**
 * Finds the targets that are too low for a finger, in the browser. Links beside text are exempt, as in the guideline; a
 * checkbox counts with its label, and a link with the row that it fills.
 */
const SMALL_TARGETS = `(() => {
  const bodies = ".mantine-Checkbox-body, .mantine-Radio-body, .mantine-Switch-body, label";
  const targetOf = (element) => (element.matches("[type=checkbox], [type=radio]") && element.closest(bodies)) || element;
  const isBesideText = (element) => element.matches("a, .link-button") && element.closest("p, li, dd, td, label, .soft, .mono, h2, legend, div")
    .textContent.trim() !== element.textContent.trim();
  return [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.matches("${EXEMPT}"))
    .filter((element) => !isBesideText(element))
    .map((element) => ({ element, height: targetOf(element).getBoundingClientRect().height }))
    .filter(({ height }) => height > 1 && height < ${LEAST} - 0.5)
    .map(({ element, height }) => {
      const name = element.getAttribute("aria-label") ?? element.textContent;
      return element.tagName + " " + name.trim().slice(0, 30) + " " + Math.round(height);
    });
})()`;

/** Returns the targets of a page that are too small for a finger. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(SMALL_TARGETS);
}
