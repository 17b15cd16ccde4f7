import type { ComponentType } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/screens.ts";
import type { operations } from "./api/generated/admin.ts";

/**
 * A screen of the app as a value. The router, the menu, the palette, the access check and the service, which answers
 * these addresses with the app, all read it. See docs/adding-a-screen.md.
 */
export interface AppRoute {
  /** The path in the form of the router: `/devices/$id`. */
  path: string;
  /** The name in the palette and the menu, and the browser's title until the page sets its own. */
  title: string;
  /** The operations that the screen needs; it is offered only to users who may call all of them. */
  operations: readonly (keyof operations)[];
  page: () => Promise<{ default: ComponentType }>;
  /** The place in the menu; absent for screens that are reached from others. */
  menu?: { group: string; icon: string; key: string };
  /** Set for screens without a session. */
  open?: true;
}

/** The places of the screens in the menu, in its order. */
const MENU: Readonly<Record<string, readonly [group: string, icon: string, key: string]>> = {
  "/": [t.overview, "home", "h"],
  "/anomalies": [t.monitoring, "anomalies", "n"],
  "/tickets": [t.monitoring, "tickets", "i"],
  "/findings": [t.monitoring, "findings", "w"],
  "/thresholds": [t.monitoring, "thresholds", "o"],
  "/deliveries": [t.monitoring, "deliveries", "e"],
  "/devices": [common.devices, "devices", "d"],
  "/connect": [common.devices, "clients", "c"],
  "/refusals": [common.devices, "refusals", "r"],
  "/claims": [common.devices, "claims", "l"],
  "/certificates": [common.devices, "certificates", "x"],
  "/device-types": [common.devices, "types", "t"],
  "/groups": [t.onCall, "groups", "g"],
  "/shifts": [t.onCall, "shifts", "f"],
  "/maintenance": [t.onCall, "maintenance", "b"],
  "/mqtt-clients": [t.access, "mqtt", "m"],
  "/keys": [t.access, "keys", "k"],
  "/service-accounts": [t.access, "accounts", "v"],
  "/users": [common.administration, "users", "u"],
  "/audit": [common.administration, "audit", "a"],
  "/settings": [common.administration, "settings", "s"],
  "/platform": [common.administration, "platform", "p"],
};

type Screen = readonly [path: string, title: string, page: AppRoute["page"], ...operations: AppRoute["operations"]];

/** The screens without a session. */
const OPEN: readonly Screen[] = [
  ["/setup", t.setUp, () => import("./pages/setup/setup-page.tsx")],
  ["/sign-in", t.signIn, () => import("./pages/sign-in/sign-in-page.tsx")],
  ["/sign-in/provider/$tenantId", t.signIn, () => import("./pages/sign-in/provider-page.tsx")],
  ["/enroll", t.enrollADevice, () => import("./pages/enroll/enroll-page.tsx")],
  ["/invite", t.acceptAnInvitation, () => import("./pages/links/invite-page.tsx")],
  ["/reset", t.chooseANewPassword, () => import("./pages/links/reset-page.tsx")],
  ["/forgot-password", t.forgotYourPassword, () => import("./pages/forgot-password/forgot-password-page.tsx")],
];

/** The screens of a signed-in user, each with the operations that it needs. */
const SIGNED_IN: readonly Screen[] = [
  ["/", t.home, () => import("./pages/home/home-page.tsx"), "getOverview"],
  ["/anomalies", common.anomalies, () => import("./pages/anomalies/anomalies-page.tsx"), "listAnomalies"],
  [
    "/anomalies/$id",
    common.anomaly,
    () => import("./pages/anomalies/anomaly-page.tsx"),
    "getAnomaly",
    "listPages",
    "listDeliveries",
  ],
  ["/tickets", common.tickets, () => import("./pages/tickets/tickets-page.tsx"), "listTickets"],
  [
    "/tickets/$id",
    common.ticket,
    () => import("./pages/tickets/ticket-page.tsx"),
    "getTicket",
    "listTicketComments",
    "listTicketHistory",
  ],
  ["/findings", t.findings, () => import("./pages/findings/findings-page.tsx"), "listFindings"],
  ["/thresholds", t.thresholds, () => import("./pages/thresholds/thresholds-page.tsx"), "listThresholds"],
  ["/thresholds/$id", common.thresholdPack, () => import("./pages/thresholds/threshold-page.tsx"), "getThreshold"],
  ["/deliveries", common.messages, () => import("./pages/deliveries/deliveries-page.tsx"), "listDeliveries"],
  ["/devices", common.devices, () => import("./pages/devices/devices-page.tsx"), "listDevices"],
  [
    "/compare",
    t.compareDevices,
    () => import("./pages/compare/compare-page.tsx"),
    "listDevices",
    "readSeries",
    "listGroups",
  ],
  ["/devices/$id", common.device, () => import("./pages/device/device-page.tsx"), "getDevice"],
  [
    "/devices/$id/connect",
    common.connectADevice,
    () => import("./pages/connect/device-connect-page.tsx"),
    "getDevice",
    "getConnectGuide",
    "listRefusals",
  ],
  [
    "/connect",
    common.connectADevice,
    () => import("./pages/connect/connect-page.tsx"),
    "createClaim",
    "getClaim",
    "listDeviceTypes",
  ],
  ["/refusals", t.refusedClients, () => import("./pages/refusals/refusals-page.tsx"), "listRefusals", "listSymptoms"],
  ["/claims", t.claims, () => import("./pages/claims/claims-page.tsx"), "listClaims"],
  ["/claims/$id", t.claim, () => import("./pages/claims/claim-page.tsx"), "getClaim"],
  [
    "/certificates",
    common.certificates,
    () => import("./pages/certificates/certificates-page.tsx"),
    "listCertificates",
  ],
  [
    "/certificates/$id",
    common.certificate,
    () => import("./pages/certificates/certificate-page.tsx"),
    "getCertificate",
    "getCertificateChain",
  ],
  [
    "/devices/$id/rotate",
    t.rotateACertificate,
    () => import("./pages/rotate/rotate-page.tsx"),
    "listCertificates",
    "issueCertificate",
    "revokeCertificate",
  ],
  ["/device-types", t.deviceTypes, () => import("./pages/device-types/device-types-page.tsx"), "listDeviceTypes"],
  ["/device-types/$id", t.deviceType, () => import("./pages/device-types/device-type-page.tsx"), "getDeviceType"],
  ["/groups", common.groups, () => import("./pages/groups/groups-page.tsx"), "listGroups"],
  ["/groups/$id", common.group, () => import("./pages/groups/group-page.tsx"), "getGroup"],
  ["/groups/$id/replay", t.replay, () => import("./pages/groups/replay/replay-page.tsx"), "replayPaging"],
  [
    "/shifts",
    common.shifts,
    () => import("./pages/shifts/shifts-page.tsx"),
    "listShifts",
    "listGroups",
    "listCoverage",
  ],
  ["/maintenance", t.maintenance, () => import("./pages/maintenance/maintenance-page.tsx"), "listMaintenanceWindows"],
  ["/mqtt-clients", t.mqttClients, () => import("./pages/mqtt-clients/mqtt-clients-page.tsx"), "listMqttClients"],
  [
    "/clients/$id/live",
    t.liveMessages,
    () => import("./pages/trace/trace-page.tsx"),
    "startClientTrace",
    "readClientTrace",
  ],
  ["/keys", common.apiKeys, () => import("./pages/keys/keys-page.tsx"), "listKeys"],
  [
    "/service-accounts",
    t.serviceAccounts,
    () => import("./pages/service-accounts/service-accounts-page.tsx"),
    "listServiceAccounts",
  ],
  ["/users", t.users, () => import("./pages/users/users-page.tsx"), "listUsers", "listInvites"],
  ["/users/$id", t.user, () => import("./pages/users/user-page.tsx"), "getUser", "getUserImpact"],
  [
    "/audit",
    common.audit,
    () => import("./pages/audit/audit-page.tsx"),
    "listAdminAudit",
    "listApiAudit",
    "listCertificateAudit",
  ],
  ["/settings", t.settings, () => import("./pages/settings/settings-page.tsx"), "getTenant"],
  [
    "/settings/single-sign-on",
    t.singleSignOn,
    () => import("./pages/settings/single-sign-on-page.tsx"),
    "getSingleSignOn",
    "listUsers",
  ],
  [
    "/platform",
    t.platform,
    () => import("./pages/platform/platform-page.tsx"),
    "listTenants",
    "listAuthorities",
    "runChecks",
    "listUnknownRefusals",
  ],
  ["/account", t.account, () => import("./pages/account/account-page.tsx")],
];

export const appRoutes: readonly AppRoute[] = [
  ...OPEN.map((screen) => ({ ...routeOf(screen), open: true as const })),
  ...SIGNED_IN.map(routeOf),
];

function routeOf([path, title, page, ...operations]: Screen): AppRoute {
  const place = MENU[path];
  if (!place) return { path, title, page, operations };
  const [group, icon, key] = place;
  return { path, title, page, operations, menu: { group, icon, key } };
}
