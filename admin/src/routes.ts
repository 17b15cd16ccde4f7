import type { ComponentType } from "react";
import type { operations } from "./api/generated/admin.ts";

/**
 * One screen of the app as a value: the router, the menu, the palette, the access check and the service, which answers these addresses
 * with the app, all read it. See docs/adding-a-screen.md.
 */
export interface AppRoute {
  /** As the router writes it: `/devices/$id`. */
  path: string;
  /** In the palette, the menu and, until the page sets its own, the browser's title. */
  title: string;
  /** Operations of the admin API without which the screen is of no use: a user who may not call one of them is not offered it. */
  operations: readonly (keyof operations)[];
  page: () => Promise<{ default: ComponentType }>;
  /** Its place in the menu; absent for screens that are reached from others. */
  menu?: { group: MenuGroup; icon: string; key?: string };
  /** Without a session. */
  open?: true;
}

export type MenuGroup = "Overview" | "Monitoring" | "Devices" | "On call" | "Access" | "Administration";

export const appRoutes: readonly AppRoute[] = [
  { path: "/setup", title: "Set up", operations: [], open: true, page: () => import("./pages/setup/setup-page.tsx") },
  {
    path: "/sign-in",
    title: "Sign in",
    operations: [],
    open: true,
    page: () => import("./pages/sign-in/sign-in-page.tsx"),
  },
  {
    path: "/",
    title: "Home",
    operations: ["getOverview"],
    page: () => import("./pages/home/home-page.tsx"),
    menu: { group: "Overview", icon: "home", key: "h" },
  },
  {
    path: "/anomalies",
    title: "Anomalies",
    operations: ["listAnomalies"],
    page: () => import("./pages/anomalies/anomalies-page.tsx"),
    menu: { group: "Monitoring", icon: "anomalies", key: "n" },
  },
  {
    path: "/anomalies/$id",
    title: "Anomaly",
    operations: ["getAnomaly", "listPages", "listDeliveries"],
    page: () => import("./pages/anomalies/anomaly-page.tsx"),
  },
  {
    path: "/tickets",
    title: "Tickets",
    operations: ["listTickets"],
    page: () => import("./pages/tickets/tickets-page.tsx"),
    menu: { group: "Monitoring", icon: "tickets", key: "i" },
  },
  {
    path: "/tickets/$id",
    title: "Ticket",
    operations: ["getTicket", "listTicketComments", "listTicketHistory"],
    page: () => import("./pages/tickets/ticket-page.tsx"),
  },
  {
    path: "/findings",
    title: "Findings",
    operations: ["listFindings"],
    page: () => import("./pages/findings/findings-page.tsx"),
    menu: { group: "Monitoring", icon: "findings", key: "w" },
  },
  {
    path: "/thresholds",
    title: "Thresholds",
    operations: ["listThresholds"],
    page: () => import("./pages/thresholds/thresholds-page.tsx"),
    menu: { group: "Monitoring", icon: "thresholds", key: "o" },
  },
  {
    path: "/thresholds/$id",
    title: "Threshold pack",
    operations: ["getThreshold"],
    page: () => import("./pages/thresholds/threshold-page.tsx"),
  },
  {
    path: "/deliveries",
    title: "Messages",
    operations: ["listDeliveries"],
    page: () => import("./pages/deliveries/deliveries-page.tsx"),
    menu: { group: "Monitoring", icon: "deliveries", key: "e" },
  },
  {
    path: "/devices",
    title: "Devices",
    operations: ["listDevices"],
    page: () => import("./pages/devices/devices-page.tsx"),
    menu: { group: "Devices", icon: "devices", key: "d" },
  },
  {
    path: "/devices/$id",
    title: "Device",
    operations: ["getDevice"],
    page: () => import("./pages/device/device-page.tsx"),
  },
  {
    path: "/devices/$id/connect",
    title: "Connect a device",
    operations: ["getDevice", "getConnectGuide", "listRefusals"],
    page: () => import("./pages/connect/device-connect-page.tsx"),
  },
  {
    path: "/connect",
    title: "Connect a device",
    operations: ["createClaim", "getClaim", "listDeviceTypes"],
    page: () => import("./pages/connect/connect-page.tsx"),
    menu: { group: "Devices", icon: "clients", key: "c" },
  },
  {
    path: "/refusals",
    title: "Refused clients",
    operations: ["listRefusals", "listSymptoms"],
    page: () => import("./pages/refusals/refusals-page.tsx"),
    menu: { group: "Devices", icon: "refusals", key: "r" },
  },
  {
    path: "/claims",
    title: "Claims",
    operations: ["listClaims"],
    page: () => import("./pages/claims/claims-page.tsx"),
    menu: { group: "Devices", icon: "claims", key: "l" },
  },
  {
    path: "/claims/$id",
    title: "Claim",
    operations: ["getClaim"],
    page: () => import("./pages/claims/claim-page.tsx"),
  },
  {
    path: "/enroll",
    title: "Enroll a device",
    operations: [],
    open: true,
    page: () => import("./pages/enroll/enroll-page.tsx"),
  },
  {
    path: "/certificates",
    title: "Certificates",
    operations: ["listCertificates"],
    page: () => import("./pages/certificates/certificates-page.tsx"),
    menu: { group: "Devices", icon: "certificates", key: "x" },
  },
  {
    path: "/certificates/$id",
    title: "Certificate",
    operations: ["getCertificate", "getCertificateChain"],
    page: () => import("./pages/certificates/certificate-page.tsx"),
  },
  {
    path: "/devices/$id/rotate",
    title: "Rotate a certificate",
    operations: ["listCertificates", "issueCertificate", "revokeCertificate"],
    page: () => import("./pages/rotate/rotate-page.tsx"),
  },
  {
    path: "/device-types",
    title: "Device types",
    operations: ["listDeviceTypes"],
    page: () => import("./pages/device-types/device-types-page.tsx"),
    menu: { group: "Devices", icon: "types", key: "t" },
  },
  {
    path: "/device-types/$id",
    title: "Device type",
    operations: ["getDeviceType"],
    page: () => import("./pages/device-types/device-type-page.tsx"),
  },
  {
    path: "/groups",
    title: "Groups",
    operations: ["listGroups"],
    page: () => import("./pages/groups/groups-page.tsx"),
    menu: { group: "On call", icon: "groups", key: "g" },
  },
  {
    path: "/groups/$id",
    title: "Group",
    operations: ["getGroup"],
    page: () => import("./pages/groups/group-page.tsx"),
  },
  {
    path: "/shifts",
    title: "Shifts",
    operations: ["listShifts", "listGroups", "listCoverage"],
    page: () => import("./pages/shifts/shifts-page.tsx"),
    menu: { group: "On call", icon: "shifts", key: "f" },
  },
  {
    path: "/mqtt-clients",
    title: "MQTT clients",
    operations: ["listMqttClients"],
    page: () => import("./pages/mqtt-clients/mqtt-clients-page.tsx"),
    menu: { group: "Access", icon: "mqtt", key: "m" },
  },
  {
    path: "/keys",
    title: "API keys",
    operations: ["listKeys"],
    page: () => import("./pages/keys/keys-page.tsx"),
    menu: { group: "Access", icon: "keys", key: "k" },
  },
  {
    path: "/users",
    title: "Users",
    operations: ["listUsers", "listInvites"],
    page: () => import("./pages/users/users-page.tsx"),
    menu: { group: "Administration", icon: "users", key: "u" },
  },
  {
    path: "/users/$id",
    title: "User",
    operations: ["getUser", "getUserImpact"],
    page: () => import("./pages/users/user-page.tsx"),
  },
  {
    path: "/invite",
    title: "Accept an invitation",
    operations: [],
    open: true,
    page: () => import("./pages/links/invite-page.tsx"),
  },
  {
    path: "/reset",
    title: "Choose a new password",
    operations: [],
    open: true,
    page: () => import("./pages/links/reset-page.tsx"),
  },
  {
    path: "/forgot-password",
    title: "Forgot your password?",
    operations: [],
    open: true,
    page: () => import("./pages/forgot-password/forgot-password-page.tsx"),
  },
  {
    path: "/audit",
    title: "Audit",
    operations: ["listAdminAudit", "listApiAudit", "listCertificateAudit"],
    page: () => import("./pages/audit/audit-page.tsx"),
    menu: { group: "Administration", icon: "audit", key: "a" },
  },
  {
    path: "/settings",
    title: "Settings",
    operations: ["getTenant"],
    page: () => import("./pages/settings/settings-page.tsx"),
    menu: { group: "Administration", icon: "settings", key: "s" },
  },
  {
    path: "/platform",
    title: "Platform",
    operations: ["listTenants", "listAuthorities", "runChecks", "listUnknownRefusals"],
    page: () => import("./pages/platform/platform-page.tsx"),
    menu: { group: "Administration", icon: "platform", key: "p" },
  },
  { path: "/account", title: "Account", operations: [], page: () => import("./pages/account/account-page.tsx") },
];
