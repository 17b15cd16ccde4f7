import { createElement, Fragment, type ReactNode } from "react";

/** A value in a text. */
export type Value = string | number;

/** A text with elements in it, such as links: ``phrase`See ${link}.` ``. */
export function phrase(texts: TemplateStringsArray, ...parts: readonly ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...texts.flatMap((text, at) => [text, parts[at]]));
}
