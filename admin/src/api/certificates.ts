import { queryOptions } from "@tanstack/react-query";
import { api, must } from "./client.ts";
import { keyOf } from "./queries.ts";

const LIST = "/api/admin/certificates";
/** A device holds a few live certificates, and those of earlier years. */
const MOST_OF_DEVICE = 200;

export const certificatesOfDeviceQuery = (deviceId: string) =>
  queryOptions({
    queryKey: keyOf(LIST, { deviceId }),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query: { deviceId, limit: MOST_OF_DEVICE } }, signal })),
  });
