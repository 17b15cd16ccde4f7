import { queryOptions } from "@tanstack/react-query";
import { api, must } from "./client.ts";
import { keyOf } from "./queries.ts";

const LIST = "/api/admin/refusals";

export const refusalsOfDeviceQuery = (deviceId: string, limit = 50) =>
  queryOptions({
    queryKey: keyOf(LIST, { deviceId, limit }),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query: { deviceId, limit } }, signal })),
  });
