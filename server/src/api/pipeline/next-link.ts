import { isPage } from "../../lib/page.ts";

/** Returns the `Link` to the next page, as a relative address (RFC 8288); `undefined` on the last page. */
export function nextLink(url: string, answer: unknown): string | undefined {
  if (!isPage(answer)) return undefined;
  const { items, total, skip, limit } = answer;
  const next = skip + items.length;
  if (items.length === 0 || next >= total) return undefined;
  const [path, query] = url.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.set("skip", String(next));
  parameters.set("limit", String(limit));
  return `<${path}?${parameters}>; rel="next"`;
}
