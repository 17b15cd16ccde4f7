import { z } from "zod";
import { isPage, type Walk } from "../lib/page.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { next, walked } from "./shapes.ts";

/** The part of a route that this module extends. */
interface ListRoute {
  query?: z.ZodType;
  response?: z.ZodType;
  // biome-ignore lint/suspicious/noExplicitAny: the handlers of routes have no common type of input
  handler: (who: any, input: any, run: any) => Promise<unknown>;
}

const cursor = z.string().max(600).optional().meta({
  description:
    "Instead of `skip`: the `next` of the previous page, or nothing (`cursor=`) to begin. A walk by cursor neither skips nor repeats a record while others are added. Its pages may be short, and its `total` is that of its beginning",
});

/**
 * Offers a `cursor` in addition to `skip` and `limit` of a list whose use case takes a walk ({@link walked}); other
 * routes stay as they are. The cursor is opaque: the place of the last row and the total.
 */
export function withCursor<Route extends ListRoute>(route: Route): Route {
  const { query, response, handler } = route;
  if (!(query instanceof z.ZodObject) || !(response instanceof z.ZodObject) || !walked.has(query.shape.skip))
    return route;
  const { id } = z.globalRegistry.get(response) ?? {};
  const page = response.extend({ next });
  return {
    ...route,
    query: query.extend({ cursor }),
    response: id ? page.meta({ id }) : page,
    handler: async (who: unknown, input: { query: Record<string, unknown> }, run: unknown) => {
      const { cursor: place, ...asked } = input.query;
      const list = (part: object) => handler(who, { ...input, query: { ...asked, ...part } }, run);
      return place === undefined ? await list({}) : await nextPage(list, asked, String(place));
    },
  };
}

async function nextPage(
  list: (part: object) => Promise<unknown>,
  { skip, sort }: Record<string, unknown>,
  text: string,
): Promise<unknown> {
  if (skip !== 0) throw invalidRequest("give either cursor or skip, not both", "skip");
  if (sort !== undefined) throw invalidRequest("pages by cursor are always newest first: omit sort", "sort");
  const { total = await totalOf(list), walk } = opened(text);
  const { place } = walk;
  const answer = await list({ walk });
  if (!isPage(answer)) throw new Error("only a list has a cursor");
  if (!walk.ended && walk.place === place) {
    if (answer.items.length > 0) throw new Error("the list takes no walk: declare it with offsetPaging");
    // A filter that nothing can match is answered without reading.
    walk.ended = true;
  }
  return { ...answer, total, ...(walk.ended ? {} : { next: sealed(total, walk.place) }) };
}

async function totalOf(list: (part: object) => Promise<unknown>): Promise<number> {
  const answer = await list({ limit: 1 });
  return isPage(answer) ? answer.total : 0;
}

function sealed(total: number, place: Walk["place"]): string {
  return Buffer.from(JSON.stringify([total, place])).toString("base64url");
}

/** @throws MusterError invalid_request for a text that is not a cursor */
function opened(text: string): { total?: number; walk: Walk } {
  if (text === "") return { walk: {} };
  const result = CURSOR.safeParse(parsed(text));
  if (!result.success) throw notCursor();
  const [total, place] = result.data;
  return { total, walk: { place } };
}

const CURSOR = z.tuple([z.int().min(0), z.array(z.string().max(256).nullable()).min(1).max(2)]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    throw notCursor();
  }
}

function notCursor() {
  return invalidRequest("cursor must be the `next` of an earlier page", "cursor");
}
