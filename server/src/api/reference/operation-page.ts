import { errorCodes } from "../openapi/openapi.ts";
import { type Html, html } from "../pages/html.ts";
import type { ReferenceRoute } from "../route.ts";
import type { Content, Described, Header, Parameter } from "./document.ts";
import { errorList } from "./error-list.ts";
import { fieldList } from "./field-list.ts";
import { fieldOf, fieldsOf } from "./fields.ts";
import { badge, type Page, type Site } from "./layout.ts";
import { DEVICE_PAGE, links, operationPage, resourcePage } from "./links.ts";
import { inline, prose } from "./prose.ts";
import { curl, json, sample } from "./samples.ts";

/** Returns the page of one operation: input, answer, errors and samples. */
export function operationPageOf(route: ReferenceRoute, site: Site): Page {
  const described = site[route.surface];
  const { parameters = [], requestBody, responses } = described.operation(route);
  const all = parameters.map((each) => described.resolve(each));
  const answer = responses[route.status]!;
  return {
    path: operationPage(route),
    title: route.summary,
    about: firstSentence(route.description),
    main: html`<p class="crumbs">${crumb(route)}</p>
<h1>${route.summary}</h1>
<p class="address">${badge(route)} <code>${route.path}</code></p>
<div class="columns">
<div class="intro">
${prose(route.description, links)}
<dl class="facts">${factsOf(route)}</dl>
</div>
<aside class="samples" aria-label="Examples">
${sample("Request", curl(route, described, site.baseUrl))}
<p class="note">While the service uses its development certificate, add <code>--cacert data/tls/ca.pem</code>.</p>
${route.response ? sample(`Answer: ${route.status}`, json(route.examples.response)) : ""}
</aside>
<div class="text">
${PLACES.map(([place, title]) => parametersAt(place, title, all, described))}
${requestBody && fieldSection("body", "Body", contentOf(requestBody.content), described)}
<section>
<h2 id="answer">Answer</h2>
<p><strong>${route.status}</strong> ${answer.description}.</p>
${answer.content && fieldList(fieldsOf(contentOf(answer.content).schema, described.resolve), "answer", "output")}
${headers(answer.headers ?? {}, described)}
</section>
${errors(route)}
</div>
</div>`,
  };
}

const PLACES: [place: Parameter["in"], title: string][] = [
  ["path", "Path parameters"],
  ["query", "Query parameters"],
  ["header", "Headers"],
];

function crumb({ surface, tag }: ReferenceRoute): Html {
  return surface === "device"
    ? html`<a href="${DEVICE_PAGE}">Device endpoints</a>`
    : html`<a href="${resourcePage(tag)}">${tag}</a>`;
}

/** Returns the anchor at which the front page lists the operations of a tag. */
export function tagId(tag: string): string {
  return `operations-${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
}

function firstSentence(text: string): string {
  return text.replaceAll("`", "").split(/(?<=[.!?])\s/)[0]!;
}

function factsOf(route: ReferenceRoute): Html {
  const scope =
    route.surface === "public" ? html`<div><dt>Scope</dt><dd>${inline(`\`${route.scope}\``, links)}</dd></div>` : "";
  return html`${scope}<div><dt>Operation id</dt><dd><code>${route.operationId}</code></dd></div>`;
}

function contentOf(content: Record<string, Content>): Content {
  return content["application/json"] ?? Object.values(content)[0]!;
}

function parametersAt(
  place: Parameter["in"],
  title: string,
  all: readonly Parameter[],
  { resolve }: Described,
): Html | undefined {
  const fields = all
    .filter((each) => each.in === place)
    .map(({ name, schema, required, description }) => ({
      ...fieldOf(name, schema, required === true, resolve),
      ...(description === undefined ? {} : { description }),
    }));
  if (fields.length === 0) return undefined;
  return html`<section><h2 id="${place}">${title}</h2>${fieldList(fields, place, "input")}</section>`;
}

function fieldSection(id: string, title: string, { schema }: Content, { resolve }: Described): Html {
  return html`<section><h2 id="${id}">${title}</h2>${fieldList(fieldsOf(schema, resolve), id, "input")}</section>`;
}

function headers(given: Record<string, Header>, { resolve }: Described): Html | undefined {
  const all = Object.entries(given).map(
    ([name, header]) =>
      html`<div><dt>${inline(`\`${name}\``, links)}</dt><dd>${inline(resolve(header).description ?? "", links)}</dd></div>\n`,
  );
  return all.length > 0 ? html`<h3>Headers of the answer</h3><dl class="facts">${all}</dl>` : undefined;
}

function errors(route: ReferenceRoute): Html {
  return html`<section>
<h2 id="errors">Errors</h2>
${errorList(errorCodes(route))}
</section>`;
}
