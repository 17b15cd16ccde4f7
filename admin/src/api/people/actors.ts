import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { LIMITS } from "../limits.ts";
import { keyOf } from "../queries.ts";
import { inBatches } from "./in-batches.ts";

const PATH = "/api/admin/actors";
/** Only devices are renamed; the deletion of a user has an event. */
const STALE_MS = 5 * 60_000;
const DEVICE_STALE_MS = 30_000;

export type NamedActor = Schemas["NamedActor"];

/** All names that a screen asks for while it is drawn are one request. */
const named = inBatches(LIMITS.namedActors, async (actors: readonly string[]) => {
  const { items } = await must(api.GET(PATH, { params: { query: { actors: actors.join(",") } } }));
  return new Map(items.map((item) => [item.actor, item]));
});

/** What an actor is called; null where the service does not say. */
export const actorQuery = (actor: string) =>
  queryOptions({
    queryKey: keyOf(PATH, actor),
    queryFn: async () => (await named(actor)) ?? null,
    staleTime: actor.startsWith("device:") ? DEVICE_STALE_MS : STALE_MS,
  });
