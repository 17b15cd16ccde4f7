import { isPage } from "../../lib/page.ts";

/** Returns the `Link` to the next page, as a relative address (RFC 8288); `undefined` on the last page. */
export function nextLink(url: string, answer: unknown): string | undefined {
  if (!isPage(answer)) return undefined;
  const { items, total, skip, limit } = answer;
  const [path, query] = url.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.set("limit", String(limit));
  if (parameters.has("cursor")) {
    if (!("next" in answer)) return undefined;
    parameters.set("cursor", String(answer.next));
  } else {
    const next = skip + items.length;
    if (items.length === 0 || next >= total) return undefined;
    parameters.set("skip", String(next));
  }
  return `<${path}?${parameters}>; rel="next"`;
}
