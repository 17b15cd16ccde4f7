import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { LIMITS } from "../limits.ts";
import { inBatches } from "./in-batches.ts";

const PATH = "/api/admin/actors";
/** Only devices are renamed; the deletion of a user has an event. */
const STALE_MS = 5 * 60_000;
const DEVICE_STALE_MS = 30_000;

export type NamedActor = Schemas["NamedActor"];

/** Batches all names that a screen asks for while it is drawn into one request. */
const named = inBatches(LIMITS.namedActors, async (actors: readonly string[]) => {
  const { items } = await must(api.GET(PATH, { params: { query: { actors: actors.join(",") } } }));
  return new Map(items.map((item) => [item.actor, item]));
});

/** The name of an actor; null if the service does not tell it. */
export const actorQuery = (actor: string) =>
  queryOptions({
    queryKey: [PATH, actor],
    queryFn: async () => (await named(actor)) ?? null,
    staleTime: actor.startsWith("device:") ? DEVICE_STALE_MS : STALE_MS,
  });
