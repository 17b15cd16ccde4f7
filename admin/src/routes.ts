import type { ComponentType } from "react";
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
  menu?: { group: MenuGroup; icon: string; key: string };
  /** Set for screens without a session. */
  open?: true;
}

type MenuGroup = "Overview" | "Monitoring" | "Devices" | "On call" | "Access" | "Administration";

/** The places of the screens in the menu, in its order. */
const MENU: Readonly<Record<string, readonly [group: MenuGroup, icon: string, key: string]>> = {
  "/": ["Overview", "home", "h"],
  "/anomalies": ["Monitoring", "anomalies", "n"],
  "/tickets": ["Monitoring", "tickets", "i"],
  "/findings": ["Monitoring", "findings", "w"],
  "/thresholds": ["Monitoring", "thresholds", "o"],
  "/deliveries": ["Monitoring", "deliveries", "e"],
  "/devices": ["Devices", "devices", "d"],
  "/connect": ["Devices", "clients", "c"],
  "/refusals": ["Devices", "refusals", "r"],
  "/claims": ["Devices", "claims", "l"],
  "/certificates": ["Devices", "certificates", "x"],
  "/device-types": ["Devices", "types", "t"],
  "/groups": ["On call", "groups", "g"],
  "/shifts": ["On call", "shifts", "f"],
  "/mqtt-clients": ["Access", "mqtt", "m"],
  "/keys": ["Access", "keys", "k"],
  "/users": ["Administration", "users", "u"],
  "/audit": ["Administration", "audit", "a"],
  "/settings": ["Administration", "settings", "s"],
  "/platform": ["Administration", "platform", "p"],
};

type Screen = readonly [path: string, title: string, page: AppRoute["page"], ...operations: AppRoute["operations"]];

/** The screens without a session. */
const OPEN: readonly Screen[] = [
  ["/setup", "Set up", () => import("./pages/setup/setup-page.tsx")],
  ["/sign-in", "Sign in", () => import("./pages/sign-in/sign-in-page.tsx")],
  ["/enroll", "Enroll a device", () => import("./pages/enroll/enroll-page.tsx")],
  ["/invite", "Accept an invitation", () => import("./pages/links/invite-page.tsx")],
  ["/reset", "Choose a new password", () => import("./pages/links/reset-page.tsx")],
  ["/forgot-password", "Forgot your password?", () => import("./pages/forgot-password/forgot-password-page.tsx")],
];

/** The screens of a signed-in user, each with the operations that it needs. */
const SIGNED_IN: readonly Screen[] = [
  ["/", "Home", () => import("./pages/home/home-page.tsx"), "getOverview"],
  ["/anomalies", "Anomalies", () => import("./pages/anomalies/anomalies-page.tsx"), "listAnomalies"],
  [
    "/anomalies/$id",
    "Anomaly",
    () => import("./pages/anomalies/anomaly-page.tsx"),
    "getAnomaly",
    "listPages",
    "listDeliveries",
  ],
  ["/tickets", "Tickets", () => import("./pages/tickets/tickets-page.tsx"), "listTickets"],
  [
    "/tickets/$id",
    "Ticket",
    () => import("./pages/tickets/ticket-page.tsx"),
    "getTicket",
    "listTicketComments",
    "listTicketHistory",
  ],
  ["/findings", "Findings", () => import("./pages/findings/findings-page.tsx"), "listFindings"],
  ["/thresholds", "Thresholds", () => import("./pages/thresholds/thresholds-page.tsx"), "listThresholds"],
  ["/thresholds/$id", "Threshold pack", () => import("./pages/thresholds/threshold-page.tsx"), "getThreshold"],
  ["/deliveries", "Messages", () => import("./pages/deliveries/deliveries-page.tsx"), "listDeliveries"],
  ["/devices", "Devices", () => import("./pages/devices/devices-page.tsx"), "listDevices"],
  ["/devices/$id", "Device", () => import("./pages/device/device-page.tsx"), "getDevice"],
  [
    "/devices/$id/connect",
    "Connect a device",
    () => import("./pages/connect/device-connect-page.tsx"),
    "getDevice",
    "getConnectGuide",
    "listRefusals",
  ],
  [
    "/connect",
    "Connect a device",
    () => import("./pages/connect/connect-page.tsx"),
    "createClaim",
    "getClaim",
    "listDeviceTypes",
  ],
  ["/refusals", "Refused clients", () => import("./pages/refusals/refusals-page.tsx"), "listRefusals", "listSymptoms"],
  ["/claims", "Claims", () => import("./pages/claims/claims-page.tsx"), "listClaims"],
  ["/claims/$id", "Claim", () => import("./pages/claims/claim-page.tsx"), "getClaim"],
  ["/certificates", "Certificates", () => import("./pages/certificates/certificates-page.tsx"), "listCertificates"],
  [
    "/certificates/$id",
    "Certificate",
    () => import("./pages/certificates/certificate-page.tsx"),
    "getCertificate",
    "getCertificateChain",
  ],
  [
    "/devices/$id/rotate",
    "Rotate a certificate",
    () => import("./pages/rotate/rotate-page.tsx"),
    "listCertificates",
    "issueCertificate",
    "revokeCertificate",
  ],
  ["/device-types", "Device types", () => import("./pages/device-types/device-types-page.tsx"), "listDeviceTypes"],
  ["/device-types/$id", "Device type", () => import("./pages/device-types/device-type-page.tsx"), "getDeviceType"],
  ["/groups", "Groups", () => import("./pages/groups/groups-page.tsx"), "listGroups"],
  ["/groups/$id", "Group", () => import("./pages/groups/group-page.tsx"), "getGroup"],
  ["/shifts", "Shifts", () => import("./pages/shifts/shifts-page.tsx"), "listShifts", "listGroups", "listCoverage"],
  ["/mqtt-clients", "MQTT clients", () => import("./pages/mqtt-clients/mqtt-clients-page.tsx"), "listMqttClients"],
  ["/keys", "API keys", () => import("./pages/keys/keys-page.tsx"), "listKeys"],
  ["/users", "Users", () => import("./pages/users/users-page.tsx"), "listUsers", "listInvites"],
  ["/users/$id", "User", () => import("./pages/users/user-page.tsx"), "getUser", "getUserImpact"],
  [
    "/audit",
    "Audit",
    () => import("./pages/audit/audit-page.tsx"),
    "listAdminAudit",
    "listApiAudit",
    "listCertificateAudit",
  ],
  ["/settings", "Settings", () => import("./pages/settings/settings-page.tsx"), "getTenant"],
  [
    "/platform",
    "Platform",
    () => import("./pages/platform/platform-page.tsx"),
    "listTenants",
    "listAuthorities",
    "runChecks",
    "listUnknownRefusals",
  ],
  ["/account", "Account", () => import("./pages/account/account-page.tsx")],
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
