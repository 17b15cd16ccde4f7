import type { Page } from "playwright-core";

/** Cells whose text may break anywhere: names and ids of any length. */
const EXEMPT = ".table-main, .table-main *, .mono, .mono *, .address, code";

/** Finds the words in cells of tables that a line break divides, in the browser. */
const BROKEN_WORDS = `[...document.querySelectorAll(".table td")].flatMap((cell) => {
  const broken = [];
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (text.parentElement.matches("${EXEMPT}")) continue;
    for (const { 0: word, index } of text.data.matchAll(/\\p{L}{2,}/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (range.getClientRects().length > 1) broken.push(word);
    }
  }
  return broken;
})`;

/** Returns the words in tables of a page that do not stay whole. */
export function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(BROKEN_WORDS);
}
