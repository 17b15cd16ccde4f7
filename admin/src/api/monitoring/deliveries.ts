import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import type { paths } from "../generated/admin.ts";
import { keyOf } from "../queries.ts";

const LIST = "/api/admin/deliveries";
export const DELIVERIES = LIST;

export type Delivery = Schemas["Delivery"];
export type DeliveryQuery = NonNullable<paths["/api/admin/deliveries"]["get"]["parameters"]["query"]>;

/** What is sent is no event: it is read again while something is to come. */
const POLL_MS = 5_000;

export const deliveriesQuery = (query: DeliveryQuery) =>
  queryOptions({
    queryKey: keyOf(LIST, query),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.items.some(isPending) ? POLL_MS : false),
  });

function isPending({ state }: Delivery): boolean {
  return state === "pending";
}
