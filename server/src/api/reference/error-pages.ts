import { exampleOf, fieldsOf } from "../openapi/error-examples.ts";
import type { ErrorText } from "../openapi/error-text.ts";
import { ERROR_TEXTS } from "../openapi/error-texts.ts";
import { errorCodes } from "../openapi/openapi.ts";
import { type Html, html, type Part } from "../pages/html.ts";
import { type ErrorCode, PROBLEMS } from "../problem.ts";
import { routes } from "../routes.ts";
import { errorList } from "./error-list.ts";
import { badge, ofSurface, type Page } from "./layout.ts";
import { ERROR_CODES, ERRORS_PAGE, errorPage, links, operationPage, ROOT } from "./links.ts";
import { inline } from "./prose.ts";
import { json, sample } from "./samples.ts";

/** Returns the list of all error codes. */
export function errorsPage(): Page {
  return {
    path: ERRORS_PAGE,
    title: "Error codes",
    about: "Every error code of the Muster API, with its status, its layer and its remedy.",
    main: html`<h1>Error codes</h1>
<p>Every error has <a href="${ROOT}#errors">the same body</a>. Program against <code>error</code>, never against <code>message</code>.</p>
<div class="wide">${errorList(ERROR_CODES)}</div>`,
  };
}

/** Returns the page of one code, for a reader who got it as an answer. */
export function errorPageOf(code: ErrorCode): Page {
  const { status } = PROBLEMS[code];
  const example = exampleOf(code);
  const text: ErrorText = ERROR_TEXTS[code];
  return {
    path: errorPage(code),
    title: `${status} ${code}`,
    about: text.summary.replaceAll("`", ""),
    main: html`<p class="crumbs"><a href="${ERRORS_PAGE}">Error codes</a></p>
<h1><code>${code}</code></h1>
<div class="columns">
<div class="intro">
<p class="lead">${inline(text.summary, links)}</p>
<dl class="facts">
<div><dt>Status</dt><dd>${status}</dd></div>
<div><dt>Layer</dt><dd><code>${String(example.middleware)}</code></dd></div>
<div><dt>Same request again</dt><dd>${AGAIN[text.again]}</dd></div>
</dl>
</div>
<aside class="samples" aria-label="Example">
${sample(`Answer: ${status}`, json(example))}
</aside>
<div class="text">
${text.more !== undefined && html`<p>${inline(text.more, links)}</p>`}
<h2>What to do</h2>
<p>${inline(text.remedy, links)}</p>
${carried(code, text)}
<h2>Operations that answer it</h2>
${answerers(code, text)}
</div>
</div>`,
  };
}

const AGAIN: Record<ErrorText["again"], string> = {
  no: "Will be refused again: change the request first",
  later: "May succeed after a while",
  "after a change elsewhere": "May succeed once something else has changed",
};

/** Describes the fields and headers beyond those of every error. */
function carried(code: ErrorCode, { detail, headers = {} }: ErrorText): Html | undefined {
  const fields = Object.entries(fieldsOf([code]) as Record<string, { description?: string }>);
  const all = [
    ...(detail === undefined ? [] : [{ name: "detail", kind: "field", about: detail }]),
    ...fields.map(([name, { description = "" }]) => ({ name, kind: "field", about: description })),
    ...Object.entries(headers).map(([name, about]) => ({ name, kind: "header", about })),
  ];
  if (all.length === 0) return undefined;
  const entries = all.map(
    ({ name, kind, about }) =>
      html`<div><dt><code>${name}</code> <span class="type">${kind}</span></dt><dd><p>${inline(about, links)}</p></dd></div>\n`,
  );
  return html`<h2>Additional fields and headers</h2><dl class="fields">${entries}</dl>`;
}

/** Lists the operations that answer the code; a whole surface is named in words. */
function answerers(code: ErrorCode, text: ErrorText): Part {
  const mine = routes.filter((route) => errorCodes(route).includes(code));
  if (mine.length === 0) return html`<p>${inline(text.anywhere ?? "", links)}</p>`;
  const whole = SURFACES.filter(([surface]) => ofSurface(surface).every((route) => mine.includes(route)));
  const single = mine.filter(({ surface }) => !whole.some(([named]) => named === surface));
  return [
    text.anywhere !== undefined && html`<p>${inline(text.anywhere, links)}</p>`,
    whole.map(([, words]) => html`<p>${words}</p>`),
    single.length > 0 &&
      html`<ul class="operations">${single.map((route) => html`<li><a href="${operationPage(route)}">${badge(route)} <span>${route.summary}</span></a></li>\n`)}</ul>`,
  ];
}

const SURFACES = [
  ["public", "Every operation of the public API."],
  ["device", "Every device-facing endpoint."],
] as const;
