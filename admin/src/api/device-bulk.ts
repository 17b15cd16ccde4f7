import { api, must, type Schemas } from "./client.ts";

/** Does the same to many devices; the answer says of each what became of it. */
export function changeDevices(body: Schemas["BulkChange"]) {
  return must(api.POST("/api/admin/devices/bulk", { body }));
}
