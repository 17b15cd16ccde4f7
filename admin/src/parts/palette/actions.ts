import { t } from "#texts/palette.ts";
import { NEW } from "../../ui/ui.ts";
import type { Operation } from "../session.ts";

interface Action {
  title: string;
  /** The screen where the act begins; its dialog opens by the fragment. */
  href: string;
  operation: Operation;
}

/** The acts that begin from the palette. */
export const ACTIONS: readonly Action[] = [
  { title: t.actions.connectDevice, href: "/connect", operation: "createClaim" },
  { title: t.actions.addDevice, href: `/devices#${NEW}`, operation: "createDevice" },
  { title: t.actions.importDevices, href: "/devices#import", operation: "importDevices" },
  { title: t.actions.createClaim, href: `/claims#${NEW}`, operation: "createClaim" },
  { title: t.actions.createDeviceType, href: `/device-types#${NEW}`, operation: "createDeviceType" },
  { title: t.actions.createGroup, href: `/groups#${NEW}`, operation: "createGroup" },
  { title: t.actions.createShift, href: `/shifts#${NEW}`, operation: "createShift" },
  { title: t.actions.createThreshold, href: "/thresholds/new", operation: "createThreshold" },
  { title: t.actions.openTicket, href: `/tickets#${NEW}`, operation: "openTicket" },
  { title: t.actions.registerMqttClient, href: `/mqtt-clients#${NEW}`, operation: "createMqttClient" },
  { title: t.actions.createKey, href: `/keys#${NEW}`, operation: "createKey" },
  { title: t.actions.inviteUser, href: `/users#${NEW}`, operation: "inviteUser" },
  { title: t.actions.ownNotifications, href: "/account", operation: "setOwnNotifications" },
];
