/** HTML that is safe in a page. Only {@link html} creates it. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** Creates HTML from a template. @internal only for {@link html} */
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

/**
 * A value in a template: markup is inserted unchanged, text and numbers are escaped, lists are joined, and absent
 * values are omitted.
 */
export type Part = Html | string | number | false | undefined | readonly Part[];

/**
 * Builds HTML as a tagged template. Inserted values are escaped, for text and for attributes in double quotes; only the
 * results of other templates are inserted unchanged. There is deliberately no way to insert raw text.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return Html.fromTemplate(strings, parts);
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
