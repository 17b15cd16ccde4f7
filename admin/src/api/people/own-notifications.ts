import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { read } from "../read.ts";

export const OWN_NOTIFICATIONS = "/api/admin/notifications";
export type OwnNotifications = Schemas["OwnNotifications"];
export type OwnChannel = Schemas["OwnChannel"];
export type NotificationChoices = Schemas["NotificationChoices"];
/** Confirmations and tests proceed while the screen is open. */
const POLL_MS = 3_000;

/** The channels and choices of the signed-in user. */
export const ownNotificationsQuery = queryOptions({
  ...read(OWN_NOTIFICATIONS),
  refetchInterval: ({ state: { data } }) => (data?.channels.some(isOnItsWay) ? POLL_MS : false),
});
export const ownTestsQuery = queryOptions({
  ...read(`${OWN_NOTIFICATIONS}/tests`),
  refetchInterval: ({ state: { data } }) => (data?.items.some(({ state }) => state === "pending") ? POLL_MS : false),
});
function isOnItsWay({ state }: OwnChannel): boolean {
  return state === "waiting" || state === "requested";
}

export const setOwnNotifications = (body: NotificationChoices) => must(api.PUT(OWN_NOTIFICATIONS, { body }));
export const addOwnChannel = (body: Schemas["OwnChannelCreate"]) =>
  must(api.POST(`${OWN_NOTIFICATIONS}/channels`, { body }));
export const getPushKey = () => must(api.GET(`${OWN_NOTIFICATIONS}/push`));
export const addOwnPush = (body: Schemas["PushSubscription"]) => must(api.POST(`${OWN_NOTIFICATIONS}/push`, { body }));
export const removeOwnChannel = (id: string) =>
  must(api.DELETE(`${OWN_NOTIFICATIONS}/channels/{id}`, { params: { path: { id } } }));
export const testOwnNotifications = () => must(api.POST(`${OWN_NOTIFICATIONS}/test`));
