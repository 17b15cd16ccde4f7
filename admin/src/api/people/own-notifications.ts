import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { keyOf } from "../queries.ts";

export const OWN_NOTIFICATIONS = "/api/admin/notifications";

export type OwnNotifications = Schemas["OwnNotifications"];
export type OwnChannel = Schemas["OwnChannel"];
export type NotificationChoices = Schemas["NotificationChoices"];

/** Confirmations and tests go on while the screen is open. */
const AGAIN_MS = 3_000;

/** How the signed-in user is notified. */
export const ownNotificationsQuery = queryOptions({
  queryKey: keyOf(OWN_NOTIFICATIONS),
  queryFn: ({ signal }) => must(api.GET(OWN_NOTIFICATIONS, { signal })),
  refetchInterval: ({ state }) => (state.data?.channels.some(isOnItsWay) ? AGAIN_MS : false),
});

function isOnItsWay({ state }: OwnChannel): boolean {
  return state === "waiting" || state === "requested";
}

export const ownTestsQuery = queryOptions({
  queryKey: keyOf(`${OWN_NOTIFICATIONS}/tests`),
  queryFn: ({ signal }) => must(api.GET(`${OWN_NOTIFICATIONS}/tests`, { signal })),
  refetchInterval: ({ state }) => (state.data?.items.some((item) => item.state === "pending") ? AGAIN_MS : false),
});

export function setOwnNotifications(body: NotificationChoices) {
  return must(api.PUT(OWN_NOTIFICATIONS, { body }));
}

export function addOwnChannel(body: Schemas["NewOwnChannel"]) {
  return must(api.POST(`${OWN_NOTIFICATIONS}/channels`, { body }));
}

export function removeOwnChannel(id: string) {
  return must(api.DELETE(`${OWN_NOTIFICATIONS}/channels/{id}`, { params: { path: { id } } }));
}

export function testOwnNotifications() {
  return must(api.POST(`${OWN_NOTIFICATIONS}/test`));
}
