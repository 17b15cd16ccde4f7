import { type Html, html } from "../pages/html.ts";
import type { ReferenceRoute } from "../route.ts";
import type { Schema } from "./document.ts";
import { fieldList } from "./field-list.ts";
import { fieldsOf } from "./fields.ts";
import { badge, type Page, type Site } from "./layout.ts";
import { links, operationPage, ROOT, resourcePage } from "./links.ts";
import { prose } from "./prose.ts";
import { json, sample } from "./samples.ts";

/** Returns the page of one resource: its operations with their scopes, its record, and an example. */
export function resourcePageOf(tag: string, routes: readonly ReferenceRoute[], site: Site): Page {
  const about = site.public.tags.find(({ name }) => name === tag)?.description ?? "";
  const record = recordOf(routes, site);
  return {
    path: resourcePage(tag),
    title: tag,
    about: about.replaceAll("`", ""),
    main: html`<p class="crumbs"><a href="${ROOT}">Overview</a></p>
<h1>${tag}</h1>
<div class="columns">
<div class="intro">
${prose(about, links)}
<h2 id="operations">Operations</h2>
<ul class="operations">${routes.map(operation)}</ul>
</div>
${record && html`<aside class="samples" aria-label="Examples">\n${sample("A record", json(record.example))}\n</aside>`}
${record && html`<div class="text">\n<section>\n<h2 id="record">Record</h2>\n${record.fields}\n</section>\n</div>`}
</div>`,
  };
}

function operation(route: ReferenceRoute): Html {
  const scope = route.surface === "public" && html` <code>${route.scope}</code>`;
  return html`<li><a href="${operationPage(route)}">${badge(route)} <span>${route.summary}</span></a>${scope}</li>\n`;
}

/** Returns the fields and an example of the record that the operations share, as they show it. */
function recordOf(
  routes: readonly ReferenceRoute[],
  { public: described }: Site,
): { fields: Html | undefined; example: unknown } | undefined {
  const answering = routes.filter(({ response, mediaType }) => response && mediaType === undefined);
  const reads = answering.filter(({ method }) => method === "GET");
  const route = reads.find(({ path }) => path.endsWith("}")) ?? reads[0] ?? answering[0];
  if (!route) return undefined;
  const { content } = described.operation(route).responses[route.status]!;
  const answer = described.resolve(Object.values(content!)[0]!.schema);
  const { items } = answer.properties ?? {};
  const example = route.examples.response as { items?: unknown[] };
  const listed = items?.items && example.items ? { schema: items.items, example: example.items[0] } : undefined;
  const { schema, example: shown } = listed ?? { schema: answer as Schema, example };
  return { fields: fieldList(fieldsOf(schema, described.resolve), "record", "output"), example: shown };
}
