import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { keyOf } from "../queries.ts";

const GROUPS = "/api/admin/groups";

export type GroupChannel = Schemas["GroupChannel"];
export type Notify = Schemas["GroupTest"]["notify"];

/** Confirmations and tests go on while the screen is open. */
const AGAIN_MS = 3_000;

export const groupChannelsQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(`${GROUPS}/${id}/channels`),
    queryFn: ({ signal }) => must(api.GET(`${GROUPS}/{id}/channels`, { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.items.some(isOnItsWay) ? AGAIN_MS : false),
  });

function isOnItsWay({ state }: GroupChannel): boolean {
  return state === "waiting" || state === "requested";
}

export const groupTestsQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(`${GROUPS}/${id}/tests`),
    queryFn: ({ signal }) => must(api.GET(`${GROUPS}/{id}/tests`, { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.items.some((item) => item.state === "pending") ? AGAIN_MS : false),
  });

export function requestConfirmation(id: string, target: string) {
  return must(api.POST(`${GROUPS}/{id}/channels/confirmation`, { params: { path: { id } }, body: { target } }));
}

export function showWebhook(id: string, body: Schemas["WebhookOfGroup"]) {
  return must(api.POST(`${GROUPS}/{id}/webhook`, { params: { path: { id } }, body }));
}

export function testGroup(id: string, notify: Notify) {
  return must(api.POST(`${GROUPS}/{id}/test`, { params: { path: { id } }, body: { notify } }));
}
