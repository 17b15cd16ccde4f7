import type { Route } from "../route.ts";
import type { Json } from "./schemas.ts";

/**
 * Returns the links of `route`'s success (OpenAPI 3.1 `links`): the operations on the record that it creates, shows or
 * lists. Tests that are derived from the description follow them from one operation to the next.
 *
 * @param all the routes of the same document
 */
export function linksOf(route: Route, all: readonly Route[]): Json {
  if (route.surface !== "public" || !route.response || route.mediaType !== undefined) return {};
  const links = targetsOf(route, all).map(({ target, parameters }) => [
    target.operationId,
    { operationId: target.operationId, parameters },
  ]);
  return links.length > 0 ? { links: Object.fromEntries(links) } : {};
}

interface Target {
  target: Route;
  parameters: Record<string, string>;
}

function targetsOf(route: Route, all: readonly Route[]): Target[] {
  const { path, source } = recordsOf(route) ?? {};
  if (path === undefined || source === undefined) return [];
  const others = Object.fromEntries(namesIn(path).map((name) => [name, `$request.path.${name}`]));
  const ofRecord = new RegExp(`^${path.replaceAll(/[{}.]/g, "\\$&")}/\\{(\\w+)\\}([^{]*)$`);
  const targets = all.flatMap((target) => {
    const name = ofRecord.exec(target.path)?.[1];
    return name === undefined || target === route ? [] : [{ target, parameters: { ...others, [name]: source } }];
  });
  const shown = targets.filter(({ target }) => target.method === "GET" && target.path.endsWith("}"));
  // A list leads to its records, and these lead on.
  return source.includes("/items/") && shown.length > 0 ? shown : targets;
}

/** Returns the path of the records that an answer has, and the runtime expression of the first one's id. */
function recordsOf(route: Route): { path: string; source: string } | undefined {
  const { method, path, status, examples, addressedBy: id = "id" } = route;
  const [, parent, name] = /^(.+)\/\{(\w+)\}$/.exec(path) ?? [];
  if (parent !== undefined && method === "GET") return { path: parent, source: `$request.path.${name}` };
  const example = examples.response as { [field: string]: unknown; items?: Record<string, unknown>[] };
  if (method === "POST" && status === 201 && example[id] !== undefined)
    return { path, source: `$response.body#/${id}` };
  if (method === "GET" && example.items?.[0]?.[id] !== undefined)
    return { path, source: `$response.body#/items/0/${id}` };
  return undefined;
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}
