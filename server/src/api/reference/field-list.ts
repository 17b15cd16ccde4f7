import { type Html, html, type Part } from "../pages/html.ts";
import type { Field } from "./fields.ts";
import { links } from "./links.ts";
import { inline, prose } from "./prose.ts";

/** The direction: a request shows which fields are required, an answer which may be absent. */
export type Way = "input" | "output";

/** Returns a list of fields with inner fields indented; each has the anchor `prefix.name`. */
export function fieldList(fields: readonly Field[], prefix: string, way: Way): Html | undefined {
  if (fields.length === 0) return undefined;
  return html`<dl class="fields">${fields.map((field) => entry(field, `${prefix}.${field.name}`, way))}</dl>`;
}

function entry({ name, type, required, fields, ...rest }: Field, id: string, way: Way): Html {
  return html`<div id="${id}">
<dt><a href="#${id}"><code>${name}</code></a> <span class="type">${type}</span> ${need(required, way)}</dt>
<dd>${about(rest, way)}${fieldList(fields, id, way)}</dd>
</div>
`;
}

function need(required: boolean, way: Way): Part {
  if (way === "input") return required && html`<span class="required">required</span>`;
  return !required && html`<span class="limit">may be absent</span>`;
}

/** Describes a field; limits are shown for requests only. */
function about(
  { description, facts, values, pattern }: Omit<Field, "name" | "type" | "required" | "fields">,
  way: Way,
): Part {
  return [
    description !== undefined && prose(description, links),
    values.length > 0 &&
      limit(["One of ", values.map((value, at) => [at > 0 && ", ", ...inline(`\`${value}\``, links)])]),
    way === "input" && facts.length > 0 && limit(facts.join(", ")),
    pattern !== undefined && limit(["Matches ", html`<code>${pattern}</code>`]),
  ];
}

function limit(text: Part): Html {
  return html`<p class="limit">${text}</p>`;
}
