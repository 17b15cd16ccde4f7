import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { read } from "../read.ts";

const INTEGRATIONS = "/api/admin/integrations";
export type NewIntegration = Schemas["IntegrationCreate"];
export type ChannelType = Schemas["ChannelTypeFields"];

export const channelTypesQuery = queryOptions(read("/api/admin/channel-types"));
export const integrationsQuery = queryOptions(read(INTEGRATIONS));
export const createIntegration = (body: NewIntegration) => must(api.POST(INTEGRATIONS, { body }));
export const deleteIntegration = (id: string) => must(api.DELETE(`${INTEGRATIONS}/{id}`, { params: { path: { id } } }));
