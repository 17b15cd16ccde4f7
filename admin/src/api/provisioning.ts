import { api, must, type Schemas } from "./client.ts";
import { read } from "./read.ts";

export const PROVISIONING = "/api/admin/provisioning";
export type Provisioning = Schemas["Provisioning"];

export const provisioningQuery = read(PROVISIONING);
export const createScimToken = () => must(api.POST("/api/admin/provisioning/token"));
export const deleteScimToken = (id: string) =>
  must(api.DELETE("/api/admin/provisioning/token/{id}", { params: { path: { id } } }));
export const mapScimGroup = (id: string, body: Schemas["ScimMapping"]) =>
  must(api.PUT("/api/admin/provisioning/groups/{id}", { params: { path: { id } }, body }));
