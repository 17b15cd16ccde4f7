import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { read } from "../read.ts";

const CHANNELS = "/api/admin/groups/{id}/channels";
export const GROUP_TESTS = "/api/admin/groups/{id}/tests";
export type GroupChannel = Schemas["GroupChannel"];
export type Notify = Schemas["GroupTest"]["notify"];
/** Confirmations and tests proceed while the screen is open. */
const POLL_MS = 3_000;

export const groupChannelsQuery = (id: string) =>
  queryOptions({
    ...read(CHANNELS, { path: { id } }),
    refetchInterval: ({ state: { data } }) => (data?.items.some(isOnItsWay) ? POLL_MS : false),
  });
export const groupTestsQuery = (id: string) =>
  queryOptions({
    ...read(GROUP_TESTS, { path: { id } }),
    refetchInterval: ({ state: { data } }) => (data?.items.some(({ state }) => state === "pending") ? POLL_MS : false),
  });
function isOnItsWay({ state }: GroupChannel): boolean {
  return state === "waiting" || state === "requested";
}

export const requestConfirmation = (id: string, target: string) =>
  must(api.POST(`${CHANNELS}/confirmation`, { params: { path: { id } }, body: { target } }));
export const showWebhook = (id: string, body: Schemas["WebhookOfGroup"]) =>
  must(api.POST("/api/admin/groups/{id}/webhook", { params: { path: { id } }, body }));
export const testGroup = (id: string, notify: Notify) =>
  must(api.POST("/api/admin/groups/{id}/test", { params: { path: { id } }, body: { notify } }));
