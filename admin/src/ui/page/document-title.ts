import { t } from "#texts/ui.ts";
import { numberText } from "../../texts/number-text.ts";

let [title, count] = ["", 0];

/** Sets the title of the screen in the browser's tab. */
export function setDocumentTitle(of: string): void {
  title = of;
  show();
}

/** Puts a number in front of the title, `(4) Devices · Muster`; none if it is 0. */
export function setTitleCount(of: number): void {
  count = of;
  show();
}

function show(): void {
  document.title = count > 0 ? `(${numberText(count)}) ${t.muster(title)}` : t.muster(title);
}
