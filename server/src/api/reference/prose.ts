import { type Html, html } from "../pages/html.ts";

/** Returns the page to which a word in code style links, if there is one: an operation, an error code, a scope. */
export type Links = (code: string) => string | undefined;

/**
 * Converts a description to paragraphs: blank lines separate them, backticks mark code, and code with a page becomes a
 * link.
 */
export function prose(text: string, links: Links): Html[] {
  return text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph, links)}</p>`);
}

/** Converts text within a line: backticks mark code, and code with a page becomes a link. */
export function inline(text: string, links: Links): (Html | string)[] {
  return text.split("`").map((part, at) => (at % 2 === 1 ? code(part, links) : part));
}

function code(text: string, links: Links): Html {
  const href = links(text);
  return href ? html`<a href="${href}"><code>${text}</code></a>` : html`<code>${text}</code>`;
}
