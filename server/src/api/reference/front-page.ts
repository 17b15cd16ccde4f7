import { type Html, html, type Part } from "../pages/html.ts";
import { GUIDE } from "./guide.ts";
import { badge, byTag, ofSurface, type Page, type Site } from "./layout.ts";
import { DEVICE_PAGE, ERRORS_PAGE, links, operationPage, ROOT, resourcePage } from "./links.ts";
import { tagId } from "./operation-page.ts";
import { inline } from "./prose.ts";
import { curl, sample } from "./samples.ts";

/** Shown because without it every sample fails with a new installation. */
const DEVELOPMENT_CERTIFICATE = html`<p>A service without an HTTPS certificate of its own serves a development certificate, which curl does not trust: add <code>--cacert data/tls/ca.pem</code> to every sample. The file is <code>tls/ca.pem</code> in the service's data folder.</p>`;

/** Returns the front page: the first request, the list of operations, and the conventions common to all of them. */
export function frontPage(site: Site): Page {
  return {
    path: ROOT,
    title: "",
    about:
      "Reference of the Muster public API and of the endpoints for devices: operations, scopes, limits, error codes.",
    main: html`<h1>Muster API reference</h1>
<p class="lead">Read and write one tenant's devices, groups, shifts, thresholds, anomalies, tickets, enrollment claims and device certificates, over HTTPS and JSON.</p>
<dl class="facts">
<div><dt>Base address</dt><dd><code>${site.baseUrl}/api/v1</code></dd></div>
<div><dt>Version</dt><dd>${site.public.version}</dd></div>
<div><dt>Description</dt><dd><a href="/openapi/public.json">OpenAPI 3.1</a></dd></div>
</dl>
<h2 id="first-request">The first request</h2>
<p>With an API key that has the scope of the operation:</p>
${firstRequest(site)}
${DEVELOPMENT_CERTIFICATE}
<h2 id="operations">Operations</h2>
<div class="resources">
${byTag("public").map(([tag, routes]) => resource(html`<a href="${resourcePage(tag)}">${tag}</a>`, tagId(tag), routes, site))}
${resource("Device endpoints", "operations-devices-own", ofSurface("device"), site)}
</div>
${GUIDE.map(({ id, title, body }) => html`<section>\n<h2 id="${id}">${title}</h2>\n${body(site)}\n</section>\n`)}`,
  };
}

function firstRequest(site: Site): Html {
  const route = ofSurface("public").find(({ method, params }) => method === "GET" && params === undefined)!;
  return sample(route.summary, `MUSTER_API_KEY=mstr_…\n${curl(route, site.public, site.baseUrl)}`);
}

function resource(title: Part, id: string, routes: ReturnType<typeof ofSurface>, site: Site): Html {
  const about = [...site.public.tags, ...site.device.tags].find(({ name }) => name === routes[0]?.tag)?.description;
  return html`<section>
<h3 id="${id}">${title}</h3>
${about !== undefined && html`<p>${inline(about, links)}</p>`}
<ul class="operations">${routes.map((route) => html`<li><a href="${operationPage(route)}">${badge(route)} <span>${route.summary}</span></a></li>\n`)}</ul>
</section>
`;
}

/** Returns the page for an address that does not exist. */
export function missingPage(): Page {
  return {
    path: "",
    title: "Not found",
    about: "There is no such page.",
    main: html`<h1>There is no such page</h1>
<p>It may have another name in another version. Start at the <a href="${ROOT}">overview</a>, the <a href="${ERRORS_PAGE}">error codes</a> or <a href="${DEVICE_PAGE}">how a device connects</a>.</p>`,
  };
}
