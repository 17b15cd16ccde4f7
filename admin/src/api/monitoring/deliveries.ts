import { queryOptions } from "@tanstack/react-query";
import type { Schemas } from "../client.ts";
import { type QueryOf, readList } from "../read.ts";

export const DELIVERIES = "/api/admin/deliveries";
export type Delivery = Schemas["Delivery"];
export type DeliveryQuery = QueryOf<typeof DELIVERIES>;
/** The interval of polling, which is needed because no event reports that a message was sent. */
const POLL_MS = 5_000;

/** The messages of a page, polled while one of them is pending. */
export const deliveriesQuery = (query: DeliveryQuery) =>
  queryOptions({
    ...readList(DELIVERIES, query),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.items.some(({ state }) => state === "pending") ? POLL_MS : false),
  });
