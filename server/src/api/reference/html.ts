/** HTML that is safe to put into a page. Only {@link html} makes it, so nothing else passes for it. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** @internal the only maker, for {@link html} */
  static fromTemplate(strings: TemplateStringsArray, parts: readonly Part[]): Html {
    return new Html(strings.map((text, at) => text + (at < parts.length ? Html.#rendered(parts[at]) : "")).join(""));
  }

  static #rendered(part: Part): string {
    if (part instanceof Html) return part.#text;
    if (Array.isArray(part)) return part.map((each) => Html.#rendered(each)).join("");
    return part === undefined || part === false ? "" : escaped(String(part));
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template: markup as it is, text and numbers escaped, lists joined, nothing for what is absent. */
export type Part = Html | string | number | false | undefined | readonly Part[];

/**
 * A tagged template for HTML. Whatever is put in is escaped, for text and for attributes in double quotes alike; only what
 * another template made goes in as it is. There is no way around that on purpose.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return Html.fromTemplate(strings, parts);
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
