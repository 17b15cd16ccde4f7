import { ERROR_TEXTS } from "../openapi/error-texts.ts";
import { type Html, html } from "../pages/html.ts";
import { type ErrorCode, PROBLEMS } from "../problem.ts";
import { errorPage, links } from "./links.ts";
import { inline } from "./prose.ts";

/** Lists error codes with their meanings, each linked to its page. */
export function errorList(codes: readonly ErrorCode[]): Html {
  return html`<ul class="errors">${codes.map(entry)}</ul>`;
}

function entry(code: ErrorCode): Html {
  return html`<li>
<span class="status">${PROBLEMS[code].status}</span> <a href="${errorPage(code)}"><code class="code">${code}</code></a>
<p>${inline(ERROR_TEXTS[code].summary, links)}</p>
</li>
`;
}
