import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import type { paths } from "../generated/admin.ts";
import { filled, keyOf } from "../queries.ts";

const LIST = "/api/admin/refusals";
export const REFUSALS = LIST;

export type Refusal = Schemas["Refusal"];
export type Symptom = Schemas["Symptom"];

type Fields = NonNullable<paths[typeof LIST]["get"]["parameters"]["query"]>;
export type RefusalsQuery = { [Name in keyof Fields]?: Fields[Name] | undefined };

export const refusalsQuery = (query: RefusalsQuery) =>
  queryOptions({
    queryKey: keyOf(LIST, query),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query: filled(query) }, signal })),
  });

/** What is seen at devices that cannot connect. It is the same until another version of the service runs. */
export const symptomsQuery = queryOptions({
  queryKey: keyOf(`${LIST}/symptoms`),
  queryFn: () => must(api.GET("/api/admin/refusals/symptoms")),
  staleTime: Number.POSITIVE_INFINITY,
});

export const refusalsOfDeviceQuery = (deviceId: string, limit = 50) =>
  queryOptions({
    queryKey: keyOf(LIST, { deviceId, limit }),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query: { deviceId, limit } }, signal })),
  });
