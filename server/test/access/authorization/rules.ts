import type { BoundUseCase, Caller, LeastRole, Scope } from "../../../src/access/access.ts";
import type { Features } from "../../../src/features.ts";
import { addMs, DAY, systemClock } from "../../../src/lib/clock.ts";
import { PUSH_KEYS } from "../../harness/webhooks.ts";
import { fresh, PROVIDER, type Records, type Staff, WEBHOOK } from "./records.ts";
import { OWN } from "./special-cases.ts";

/**
 * The authorization of a use case and its example arguments: the scope that an API key needs, the least role of a user,
 * and the arguments, built from the ids of one record of each kind.
 */
export type Row<Args extends unknown[]> = readonly [
  scope: Scope | "no key",
  role: LeastRole | "no user",
  args: (ids: Records) => Args,
];

type RowsOf<Facade> = {
  [Name in keyof Facade as Facade[Name] extends BoundUseCase<infer _Args, unknown>
    ? Name
    : never]: Facade[Name] extends BoundUseCase<infer Args, unknown> ? Row<Args> : never;
};

/** The features that have use cases. A use case without a row does not compile. */
type Rules = {
  [Feature in keyof Features as keyof RowsOf<Features[Feature]> extends never ? never : Feature]: RowsOf<
    Features[Feature]
  >;
};

const page = { skip: 0, limit: 10 };
const period = { from: new Date("2026-01-01T00:00:00Z"), to: new Date("2026-01-02T00:00:00Z") };
/** An instant soon after any test's present. */
const tomorrow = () => addMs(systemClock.now(), 2 * DAY);
const ignore = () => undefined;

/** Use cases that need a provider's answer: the tests of single sign-on call them. */
export const AT_PROVIDER: ReadonlySet<string> = new Set([
  "identity.startProviderTest",
  "identity.completeProviderTest",
  "identity.switchSingleSignOnOff",
  "identity.resetProviderLink",
]);

/**
 * Returns a caller who may run the use case: the shell, or a user for use cases on the caller's own records.
 * @param name `feature.useCase`
 */
export function ableCaller({ caller, callers }: Staff, name: string): Caller {
  return OWN.has(name) ? callers.viewer : caller;
}

const NO_PROFILE = { name: null, language: null, timeZone: null, clock: null, theme: null };

/**
 * The rules of every use case of every feature. The table states what the code must do: a changed rule changes this
 * table.
 */
export const RULES: Rules = {
  access: {
    listTenants: ["no key", "platform", () => [page]],
    addTenant: ["no key", "platform", () => [{ slug: fresh(), name: "x", adminEmail: `${fresh()}@example.com` }]],
    getTenant: ["no key", "admin", () => []],
    updateTenant: ["no key", "admin", () => [{ name: fresh() }]],
    addTenantDomain: ["no key", "no user", () => [`${fresh()}.example`]],
    removeTenantDomain: ["no key", "no user", ({ tenantDomain }) => [tenantDomain]],
    listTenantDomains: ["no key", "admin", () => []],
    setTelemetryRetention: ["no key", "admin", () => [30]],
    setQuota: ["no key", "no user", () => ["devices", undefined]],
    tenantUsage: ["no key", "admin", () => []],
    createUser: ["no key", "admin", () => [{ email: `${fresh()}@example.com`, role: "viewer" }]],
    deactivateUser: ["no key", "admin", ({ userEmail }) => [userEmail]],
    reactivateUser: ["no key", "admin", ({ userEmail }) => [userEmail]],
    deleteUser: ["no key", "admin", ({ userEmail }) => [userEmail]],
    replacePassword: ["no key", "admin", ({ userEmail }) => [userEmail]],
    changeUser: ["users:write", "admin", ({ user }) => [user, { role: "operator" }]],
    removeUser: ["no key", "admin", ({ user }) => [user]],
    setPlatformUser: ["no key", "no user", ({ userEmail }) => [userEmail, false]],
    userImpact: ["no key", "admin", ({ user }) => [user]],
    userIdsByEmail: ["no key", "operator", ({ userEmail }) => [[userEmail]]],
    listUsers: ["no key", "admin", () => []],
    nameUsers: ["no key", "viewer", ({ user }) => [[user]]],
    createKey: ["no key", "admin", ({ adminEmail }) => [{ user: adminEmail, name: "k", scopes: ["devices:read"] }]],
    revokeKey: ["no key", "admin", ({ apiKey }) => [apiKey]],
    rotateKey: ["no key", "admin", ({ apiKey }) => [apiKey, {}]],
    getOwnKey: ["own-key:read", "no user", ({ apiKey: _ }) => []],
    rotateOwnKey: ["own-key:rotate", "no user", ({ apiKey: _ }) => [{}]],
    listKeys: ["users:read", "admin", ({ user }) => [{ userId: user, ...page }]],
    nameKeys: ["no key", "admin", ({ apiKey }) => [[apiKey]]],
    listKeyWrites: ["no key", "admin", ({ apiKey }) => [apiKey, page]],
    listApiWrites: ["audit:read", "admin", () => [page]],
    listAdminActs: ["audit:read", "admin", () => [page]],
    listServiceAccounts: ["no key", "admin", () => [page]],
    getServiceAccount: ["no key", "admin", ({ serviceAccount }) => [serviceAccount]],
    countServiceAccountProblems: ["no key", "admin", () => []],
    deleteServiceAccount: ["no key", "admin", ({ serviceAccount }) => [serviceAccount]],
    listPeople: ["no key", "viewer", () => [page]],
    listFilters: ["no key", "viewer", () => ["devices"]],
    changeProfile: ["no key", "viewer", () => [NO_PROFILE]],
    saveFilter: ["no key", "viewer", () => [{ list: "devices", name: fresh(), values: {} }]],
    renameFilter: ["no key", "viewer", ({ savedFilter }) => [savedFilter, fresh()]],
    deleteFilter: ["no key", "viewer", ({ savedFilter }) => [savedFilter]],
  },
  anomalies: {
    listAnomalies: ["anomalies:read", "viewer", ({ device }) => [{ deviceId: device, ...page }]],
    getAnomaly: ["anomalies:read", "viewer", ({ anomaly }) => [anomaly]],
    acknowledgeAnomaly: ["anomalies:write", "operator", ({ anomaly }) => [anomaly]],
    acknowledgeAnomalies: ["anomalies:write", "operator", ({ anomaly }) => [[anomaly]]],
  },
  certificates: {
    listCertificates: ["device-certificates:read", "viewer", ({ device }) => [{ deviceId: device, ...page }]],
    getCertificate: ["device-certificates:read", "viewer", ({ certificate }) => [certificate]],
    showCertificate: ["no key", "viewer", ({ certificate }) => [certificate]],
    listCertificateAudit: ["device-certificates:read", "admin", () => [page]],
  },
  commands: {
    sendCommand: [
      "commands:write",
      "operator",
      ({ device, commandTopic }) => [device, { topic: commandTopic, payload: "x" }],
    ],
    sendCommands: [
      "commands:write",
      "operator",
      ({ group, commandTopic }) => [{ groupId: group, topic: commandTopic, payload: "x" }],
    ],
    cancelCommand: ["commands:write", "operator", ({ device, command }) => [device, command]],
    listCommandHistory: ["commands:read", "operator", ({ device }) => [device, page]],
    findCommands: ["commands:read", "operator", () => [{ limit: 10 }]],
    getCommand: ["commands:read", "operator", ({ device, command }) => [device, command]],
    listCommands: ["no key", "operator", ({ device }) => [device, page]],
  },
  connections: {
    createMqttClient: ["mqtt-clients:write", "admin", () => [{ clientId: fresh(), username: fresh() }]],
    getMqttClient: ["mqtt-clients:read", "admin", ({ mqttClient }) => [mqttClient]],
    listMqttClients: ["mqtt-clients:read", "admin", () => [page]],
    rotateMqttClientPassword: ["mqtt-clients:write", "admin", ({ mqttClient }) => [mqttClient]],
    disableMqttClient: ["mqtt-clients:write", "admin", ({ mqttClient }) => [mqttClient]],
    enableMqttClient: ["mqtt-clients:write", "admin", ({ disabledMqttClient }) => [disabledMqttClient]],
    deleteMqttClient: ["mqtt-clients:write", "admin", ({ mqttClient }) => [mqttClient]],
    listRefusals: ["refusals:read", "viewer", ({ device }) => [{ deviceId: device, ...page }]],
    listUnknownRefusals: ["no key", "platform", () => [page]],
    disconnectDevice: ["no key", "admin", ({ device }) => [device]],
    listSymptoms: ["no key", "viewer", () => []],
    startTrace: ["no key", "admin", ({ device }) => [device]],
    readTrace: ["no key", "admin", ({ tracedClient }) => [tracedClient]],
  },
  devices: {
    createDeviceType: [
      "device-types:write",
      "admin",
      ({ threshold }) => [{ name: "x", publishTopics: [], thresholdIds: [threshold] }],
    ],
    updateDeviceType: ["device-types:write", "admin", ({ deviceType }) => [deviceType, { name: "y" }]],
    deleteDeviceType: ["device-types:write", "admin", ({ deviceType }) => [deviceType]],
    listDeviceTypes: ["device-types:read", "viewer", () => []],
    getDeviceType: ["device-types:read", "viewer", ({ deviceType }) => [deviceType]],
    listOutdatedDevices: ["no key", "viewer", ({ deviceType }) => [deviceType, page]],
    createDevice: ["device-registry:create", "admin", ({ group }) => [{ name: "x", groupIds: [group] }]],
    replaceDevice: [
      "devices:write",
      "operator",
      ({ device, deviceType, group }) => [device, { name: "y", deviceTypeId: deviceType, groupIds: [group] }],
    ],
    patchDevice: ["devices:write", "operator", ({ device }) => [device, { name: fresh() }]],
    changeDevice: ["no key", "operator", ({ device, threshold }) => [device, { addThresholdIds: [threshold] }]],
    getDevice: ["devices:read", "viewer", ({ device }) => [device]],
    listDevices: ["devices:read", "viewer", ({ group }) => [{ groupId: group, ...page }]],
    countDevices: ["devices:read", "viewer", () => []],
    listMetadataFields: ["no key", "viewer", () => []],
    suggestDevices: ["devices:read", "viewer", ({ device }) => [device, 5]],
    nameDevices: ["no key", "viewer", ({ device }) => [[device]]],
  },
  enrollment: {
    createClaim: ["provisioning:write", "admin", ({ group }) => [{ intendedName: "x", intendedGroupIds: [group] }]],
    listClaims: ["provisioning:read", "admin", () => [page]],
    nameClaims: ["no key", "admin", ({ claim }) => [[claim]]],
    getClaim: ["provisioning:read", "admin", ({ claim }) => [claim]],
    revokeClaim: ["provisioning:write", "admin", ({ claim }) => [claim]],
    allowReenrollment: ["no key", "admin", ({ enrolledDevice }) => [enrolledDevice]],
    issueBundle: ["device-certificates:issue", "admin", ({ device }) => [{ deviceId: device }]],
    revokeCertificate: ["device-certificates:revoke", "admin", ({ certificate }) => [certificate]],
    deleteDevice: ["device-registry:delete", "admin", ({ device }) => [device]],
    changeDevices: [
      "no key",
      "operator",
      ({ device, threshold }) => [{ ids: [device], act: "change", change: { addThresholdIds: [threshold] } }],
    ],
    importDevices: ["no key", "operator", ({ device }) => [[{ id: device, name: "y" }], { preview: true }]],
    connectGuide: ["no key", "viewer", ({ device }) => [device]],
    showCertificateChain: ["no key", "viewer", ({ certificate }) => [certificate]],
    revokeDeviceCertificates: ["no key", "admin", ({ certifiedDevice }) => [certifiedDevice]],
  },
  groups: {
    createGroup: ["groups:write", "admin", ({ user }) => [{ name: "x", memberUserIds: [user] }]],
    getGroup: ["groups:read", "viewer", ({ group }) => [group]],
    listGroups: ["groups:read", "viewer", () => [page]],
    updateGroup: ["no key", "admin", ({ group }) => [group, { name: "y" }]],
    editGroup: ["groups:write", "admin", ({ group }) => [group, { name: fresh() }]],
    setGroupMembers: ["group-members:write", "admin", ({ group, user }) => [group, [user]]],
    setGroupChannels: ["group-channels:write", "admin", ({ group }) => [group, []]],
    createServiceAccount: [
      "no key",
      "admin",
      ({ user }) => [{ name: fresh(), role: "viewer", contactUserId: user, expiresInDays: 30 }],
    ],
    updateServiceAccount: ["no key", "admin", ({ serviceAccount }) => [serviceAccount, { role: "operator" }]],
    deleteGroup: ["groups:write", "admin", ({ group }) => [group]],
    unassignShift: ["shifts:write", "admin", ({ group, assignedShift }) => [group, assignedShift]],
    assignShift: ["shifts:write", "admin", ({ group, shift }) => [group, shift]],
    createShift: [
      "shifts:write",
      "operator",
      ({ user }) => [
        { name: "x", timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"], userIds: [user] },
      ],
    ],
    getShift: ["shifts:read", "viewer", ({ shift }) => [shift]],
    listShifts: ["shifts:read", "viewer", () => [page]],
    updateShift: ["shifts:write", "operator", ({ shift }) => [shift, { name: fresh() }]],
    deleteShift: ["shifts:write", "operator", ({ shift }) => [shift]],
  },
  identity: {
    inviteUser: ["users:write", "admin", () => [{ email: `${fresh()}@example.com`, role: "viewer" }]],
    listInvites: ["users:read", "admin", () => [page]],
    withdrawInvite: ["users:write", "admin", ({ invite }) => [invite]],
    listAccounts: ["users:read", "admin", () => [page]],
    getAccount: ["users:read", "admin", ({ user }) => [user]],
    createResetLink: ["no key", "admin", ({ user }) => [user]],
    resetFactor: ["no key", "admin", ({ user }) => [user]],
    unlockUser: ["no key", "admin", ({ userEmail }) => [userEmail]],
    getSingleSignOn: ["no key", "admin", () => []],
    saveSingleSignOn: ["no key", "admin", () => [PROVIDER]],
    startProviderTest: ["no key", "admin", () => []],
    completeProviderTest: ["no key", "admin", () => [{ tenantId: "x", query: "", flowCookie: undefined }]],
    removeSingleSignOn: ["no key", "admin", ({ provider }) => (provider ? [] : [])],
    switchSingleSignOnOff: ["no key", "no user", () => []],
    resetProviderLink: ["no key", "no user", ({ user }) => [user]],
  },
  scim: {
    getProvisioning: ["no key", "admin", () => []],
    createScimToken: ["no key", "admin", () => []],
    deleteScimToken: ["no key", "admin", ({ scimToken }) => [scimToken]],
    mapScimGroup: ["no key", "admin", ({ scimGroup }) => [scimGroup, { role: "operator", groupIds: [] }]],
  },
  live: {
    follow: ["events:read", "viewer", ({ device }) => [{ kinds: [], telemetryOf: [device] }, ignore]],
    listEvents: ["events:read", "viewer", () => [{ kinds: [], limit: 1 }]],
  },
  notifications: {
    onCallOfGroup: ["groups:read", "viewer", ({ group }) => [group]],
    onCallAt: ["shifts:read", "viewer", () => []],
    replayPaging: ["groups:read", "admin", ({ group }) => [group, { from: new Date(0), to: new Date(1) }]],
    onCallOfDevice: ["devices:read", "viewer", ({ device }) => [device]],
    showWebhook: ["groups:write", "admin", ({ group }) => [{ groupId: group, target: WEBHOOK }]],
    listChannels: ["groups:read", "admin", () => []],
    requestConfirmation: ["groups:write", "admin", ({ group }) => [{ groupId: group, target: WEBHOOK }]],
    listWebhooks: ["webhooks:read", "admin", ({ group }) => [{ groupId: group, ...page }]],
    getWebhook: ["webhooks:read", "admin", ({ webhook }) => [webhook]],
    createWebhook: ["webhooks:write", "admin", ({ group }) => [{ groupId: group, url: `${WEBHOOK}/${fresh()}` }]],
    deleteWebhook: ["webhooks:write", "admin", ({ webhook }) => [webhook]],
    enableWebhook: ["webhooks:write", "admin", ({ disabledWebhook }) => [disabledWebhook]],
    testWebhook: ["webhooks:write", "admin", ({ confirmedWebhook }) => [confirmedWebhook]],
    rotateWebhookSecret: ["webhooks:write", "admin", ({ webhook }) => [webhook]],
    requestWebhookConfirmation: ["webhooks:write", "admin", ({ webhook }) => [webhook]],
    listDeliveries: ["groups:read", "viewer", ({ anomaly }) => [{ anomalyId: anomaly, ...page }]],
    listPages: ["groups:read", "viewer", ({ anomaly }) => [anomaly]],
    listGroupChannels: ["no key", "admin", ({ group }) => [group]],
    listCoverage: ["shifts:read", "viewer", () => []],
    readPagingProblems: ["no key", "viewer", () => []],
    testGroup: ["no key", "admin", ({ group }) => [group, "members"]],
    listGroupTests: ["no key", "admin", ({ group }) => [group]],
    getAuditStream: ["no key", "admin", () => []],
    setAuditStream: ["no key", "admin", () => [{ kind: "https", target: "https://siem.example.com/" }]],
    deleteAuditStream: ["no key", "admin", ({ auditStream: _ }) => []],
    getOwnNotifications: ["no key", "viewer", () => []],
    setOwnNotifications: [
      "no key",
      "viewer",
      () => [{ accountEmail: true, quietHours: null, onlyOnShift: true, criticalToo: false }],
    ],
    listIntegrations: ["no key", "admin", () => []],
    listChannelTypes: ["no key", "admin", () => []],
    createIntegration: ["no key", "admin", () => [{ type: "slack", name: "x", settings: { webhookUrl: WEBHOOK } }]],
    deleteIntegration: ["no key", "admin", ({ integration }) => [integration]],
    addOwnChannel: ["no key", "viewer", () => [{ type: "webhook", target: WEBHOOK }]],
    getPushKey: ["no key", "viewer", () => []],
    addOwnPush: ["no key", "viewer", () => [{ endpoint: "https://push.example/s", ...PUSH_KEYS, name: "Phone" }]],
    removeOwnChannel: ["no key", "viewer", ({ user }) => [user]],
    testOwnNotifications: ["no key", "viewer", () => []],
    listOwnTests: ["no key", "viewer", () => []],
    getAnomalyPaging: ["anomalies:read", "viewer", ({ anomaly }) => [anomaly]],
    getOutage: ["anomalies:read", "viewer", ({ anomaly }) => [anomaly, page]],
    snoozeAnomaly: ["anomalies:write", "operator", ({ anomaly }) => [anomaly, tomorrow()]],
    muteRule: ["anomalies:write", "operator", ({ anomaly }) => [anomaly, tomorrow()]],
    createWindow: [
      "shifts:write",
      "operator",
      ({ device }) => [{ name: "x", covers: "devices", deviceIds: [device], endsAt: tomorrow() }],
    ],
    getWindow: ["shifts:read", "viewer", ({ maintenanceWindow }) => [maintenanceWindow]],
    listWindows: ["shifts:read", "viewer", () => [page]],
    updateWindow: ["shifts:write", "operator", ({ maintenanceWindow }) => [maintenanceWindow, { name: fresh() }]],
    endWindow: ["shifts:write", "operator", ({ maintenanceWindow }) => [maintenanceWindow]],
    extendWindow: ["shifts:write", "operator", ({ maintenanceWindow }) => [maintenanceWindow, tomorrow()]],
    listOverrides: ["shifts:read", "viewer", ({ group }) => [group, page]],
    createOverride: ["shifts:write", "admin", ({ group, user }) => [group, { userId: user, endsAt: tomorrow() }]],
    deleteOverride: ["shifts:write", "admin", ({ override }) => [override]],
    offerDuty: [
      "no key",
      "viewer",
      ({ rosteredGroup }) => [rosteredGroup, { startsAt: systemClock.now(), endsAt: tomorrow() }],
    ],
    agreeToOffer: ["no key", "viewer", ({ offer }) => [offer]],
    withdrawOffer: ["no key", "viewer", ({ offerToViewer }) => [offerToViewer]],
    listOwnDuties: ["no key", "viewer", () => []],
    listAbsences: ["shifts:read", "viewer", ({ group }) => [group, page]],
    createAbsence: ["shifts:write", "admin", ({ user }) => [{ userId: user, endsAt: tomorrow() }]],
    endAbsence: ["shifts:write", "admin", ({ absence }) => [absence]],
    listOwnAbsences: ["no key", "viewer", () => []],
    createOwnAbsence: ["no key", "viewer", () => [{ startsAt: tomorrow(), endsAt: addMs(tomorrow(), DAY) }]],
    endOwnAbsence: ["no key", "viewer", ({ viewerAbsence }) => [viewerAbsence]],
    listFeeds: ["no key", "viewer", () => []],
    createFeed: ["no key", "viewer", ({ group }) => [group]],
    deleteFeed: ["no key", "viewer", ({ dutyFeed }) => [dutyFeed]],
    deleteWindow: ["shifts:write", "operator", ({ maintenanceWindow }) => [maintenanceWindow]],
  },
  overview: {
    readOverview: ["no key", "viewer", () => []],
    search: ["no key", "viewer", ({ device }) => [device]],
    listFindings: ["no key", "viewer", ({ device }) => [{ deviceId: device, ...page }]],
    listTimeline: ["devices:read", "viewer", ({ device }) => [device, {}]],
    nameActors: [
      "no key",
      "viewer",
      ({ user, claim, device }) => [[`user:${user}`, `claim:${claim}`, `device:${device}`]],
    ],
  },
  platform: {
    showAuthorities: ["no key", "platform", () => []],
    rotateAuthorities: ["no key", "platform", () => ["intermediate"]],
    runChecks: ["no key", "platform", () => []],
    showTrustRollout: ["no key", "platform", () => []],
  },
  rules: {
    createThreshold: [
      "thresholds:write",
      "operator",
      () => [{ name: "x", rules: [{ metric: "temperature", operator: "gt", value: 90, severity: "major" }] }],
    ],
    getThreshold: ["thresholds:read", "viewer", ({ threshold }) => [threshold]],
    listThresholds: ["thresholds:read", "viewer", () => [page]],
    showThreshold: ["no key", "viewer", ({ threshold }) => [threshold]],
    updateThreshold: ["thresholds:write", "operator", ({ threshold }) => [threshold, { name: "y" }]],
    deleteThreshold: ["thresholds:write", "operator", ({ threshold }) => [threshold]],
    listWatchingThresholds: ["no key", "viewer", ({ device }) => [device]],
    dryRun: [
      "thresholds:write",
      "operator",
      ({ threshold, device }) => [{ thresholdId: threshold, deviceId: device, ...period }],
    ],
  },
  telemetry: {
    listLatest: ["telemetry:read", "viewer", ({ device }) => [device]],
    listRejected: ["telemetry:read", "viewer", ({ device }) => [device]],
    listReadings: ["telemetry:read", "viewer", ({ device }) => [device, "temperature", period]],
    readSeries: ["telemetry:read", "viewer", ({ device }) => [device, "temperature", period]],
    listFleetReadings: ["telemetry:read", "viewer", () => [period]],
    listFleetSeries: ["telemetry:read", "viewer", () => [period]],
    tryPayload: ["no key", "viewer", ({ deviceType }) => [deviceType, { payload: "{}", encoding: "text" }]],
    followTelemetry: ["telemetry:read", "viewer", ({ device }) => [{ deviceIds: [device] }, ignore]],
  },
  tickets: {
    openTicket: [
      "tickets:write",
      "operator",
      ({ device, group }) => [{ title: "x", deviceId: device, groupId: group }],
    ],
    changeTicket: ["tickets:write", "operator", ({ ticket }) => [ticket, { title: "y" }]],
    getTicket: ["tickets:read", "viewer", ({ ticket }) => [ticket]],
    listTickets: ["tickets:read", "viewer", ({ device }) => [{ deviceId: device, ...page }]],
    listTicketHistory: ["tickets:read", "viewer", ({ ticket }) => [ticket, page]],
    commentTicket: ["tickets:write", "operator", ({ ticket }) => [ticket, "Bearing ordered"]],
    listTicketComments: ["tickets:read", "viewer", ({ ticket }) => [ticket, page]],
  },
};
