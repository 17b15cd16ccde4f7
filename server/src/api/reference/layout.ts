import { type Html, html, type Part } from "../pages/html.ts";
import { PROBLEMS } from "../problem.ts";
import type { ReferenceRoute } from "../route.ts";
import { routes } from "../routes.ts";
import type { Described } from "./document.ts";
import { DEVICE_PAGE, ERROR_CODES, ERRORS_PAGE, errorPage, operationPage, ROOT, resourcePage } from "./links.ts";

/** The data to which every page can refer. */
export interface Site {
  /** The address at which clients reach the API, without a slash at the end. */
  baseUrl: string;
  brokerUrl: string;
  public: Described;
  device: Described;
}

export interface Page {
  /** The page's address, which marks it in the menu. */
  path: string;
  title: string;
  /** One sentence for search engines and link previews. */
  about: string;
  main: Html;
}

/** A section of the front page that the menu names. */
export interface Section {
  id: string;
  title: string;
}

/** Returns a whole page: header, menu, content. It works without scripts. */
export function layout({ path, title, about, main }: Page, guide: readonly Section[]): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${about}">
<title>${title === "" ? "Muster API reference" : `${title} · Muster API reference`}</title>
<link rel="stylesheet" href="${ROOT}/style.css">
<link rel="icon" type="image/svg+xml" href="${ROOT}/icon.svg">
<script src="${ROOT}/script.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="${ROOT}"><img src="${ROOT}/icon.svg" alt="" width="24" height="24">Muster <span>API reference</span></a>
<nav class="shortcuts" aria-label="Shortcuts">
<a href="${ERRORS_PAGE}">Error codes</a>
<a href="${DEVICE_PAGE}">Device endpoints</a>
<a href="${ROOT}#openapi">OpenAPI</a>
</nav>
</header>
<div class="frame">
<nav class="menu" aria-label="Reference">
<details>
<summary>Menu</summary>
<div class="entries">
<label class="filter" hidden>Find an operation or an error <kbd aria-hidden="true">/</kbd><input type="search" aria-keyshortcuts="/" autocomplete="off" spellcheck="false"></label>
${menu(path, guide)}
</div>
</details>
</nav>
<main id="content" tabindex="-1">
${main}
</main>
</div>
</body>
</html>
`;
}

function menu(path: string, guide: readonly Section[]): Html[] {
  const entry = (href: string, text: Part) =>
    html`<li><a href="${href}"${href === path && html` aria-current="page"`}>${text}</a></li>`;
  const operation = (route: ReferenceRoute) =>
    entry(operationPage(route), html`${badge(route)} <span>${route.summary}</span>`);
  const part = (title: Part, entries: readonly Html[]) =>
    html`<section><p class="part">${title}</p><ul>${entries}</ul></section>`;
  return [
    part("Guide", [entry(ROOT, "Overview"), ...guide.map(({ id, title }) => entry(`${ROOT}#${id}`, title))]),
    ...byTag("public").map(([tag, ofTag]) =>
      part(html`<a href="${resourcePage(tag)}">${tag}</a>`, ofTag.map(operation)),
    ),
    part("Device endpoints", [entry(DEVICE_PAGE, "How a device connects"), ...ofSurface("device").map(operation)]),
    part("Errors", [
      entry(ERRORS_PAGE, "All error codes"),
      ...ERROR_CODES.map((code) => entry(errorPage(code), html`<code>${PROBLEMS[code].status} ${code}</code>`)),
    ]),
  ];
}

export function ofSurface(surface: ReferenceRoute["surface"]): ReferenceRoute[] {
  return routes.filter((route) => route.surface === surface);
}

/** Returns the operations of a surface by tag, both in the order of the routes. */
export function byTag(surface: ReferenceRoute["surface"]): [tag: string, ofTag: ReferenceRoute[]][] {
  return [...Map.groupBy(ofSurface(surface), ({ tag }) => tag)];
}

/** Returns the method in its colour. */
export function badge({ method }: Pick<ReferenceRoute, "method">): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}
