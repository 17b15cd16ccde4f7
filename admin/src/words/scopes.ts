import { common } from "#texts/common.ts";
import { t as access } from "#texts/pages/access/scopes.ts";
import { t } from "#texts/words.ts";
import dangerous from "../api/generated/dangerous-scopes.json" with { type: "json" };

type Actions = readonly ("read" | "write")[];
const BOTH: Actions = ["read", "write"];
const READ: Actions = ["read"];

/** The readable names of resources, and the actions of their scopes. `write` does not imply `read`. */
export const RESOURCES: readonly (readonly [resource: string, label: string, actions: Actions])[] = [
  ["devices", common.devices, BOTH],
  ["device-types", t.deviceTypes, BOTH],
  ["telemetry", t.telemetry, READ],
  ["refusals", common.refusals, READ],
  ["events", t.eventStreams, READ],
  ["groups", common.groups, BOTH],
  ["shifts", common.shifts, BOTH],
  ["thresholds", common.thresholdPacks, BOTH],
  ["anomalies", common.anomalies, BOTH],
  ["tickets", common.tickets, BOTH],
];

type ExplainedScope = readonly [scope: string, label: string, consequence: string];

/** The scopes that reach identities. */
const IDENTITY_SCOPES: readonly ExplainedScope[] = [
  ["provisioning:read", t.readClaims, t.seesNamesUsesAndDevices],
  ["provisioning:write", t.createAndRevokeClaims, t.aClaimCodeIsEnough],
  ["device-certificates:read", t.readCertificates, t.seesCertificatesAndTheirAudit],
  ["device-certificates:issue", t.issueBundles, t.getsThePrivateKeyOf],
  ["device-certificates:revoke", t.revokeCertificates, t.canDisconnectEveryDeviceOf],
  ["device-registry:create", t.addDevices, t.aDeviceThatIsAdded],
  ["device-registry:delete", t.deleteDevices, t.endsTheIdentityOfA],
];

/** The scopes that act on devices and on people. */
const REACHING_SCOPES: readonly ExplainedScope[] = [
  ["commands:read", t.readCommands, t.seesPayloadsOfCommands],
  ["commands:write", t.sendAndCancelCommands, t.canHaveDevicesAct],
  ["group-members:write", t.changeMembersOfGroups, t.decidesWhoSeesDevices],
];

/** The scopes that reach systems outside. */
const WEBHOOK_SCOPES: readonly ExplainedScope[] = [
  ["group-channels:write", t.changeChannelsOfGroups, t.canSendPagesElsewhere],
  ["mqtt-clients:read", t.readMqttClients, t.seesMqttClients],
  ["mqtt-clients:write", t.changeMqttClients, t.getsAPassword],
  ["webhooks:read", t.readWebhooks, t.seesTheAddressesOfWebhooks],
  ["webhooks:write", t.addChangeAndDeleteWebhooks, t.canHaveThePagesOf],
];

/** The scopes that reach the rights of people and programs. */
const ACCESS_SCOPES: readonly ExplainedScope[] = [
  ["own-key:read", access.readTheKeyItself, access.seesWhenItEnds],
  ["own-key:rotate", access.rotateTheKeyItself, access.canLiveOn],
  ["users:read", access.readUsers, access.seesUsersAndKeys],
  ["users:write", access.changeUsers, access.canInviteAndDeactivate],
  ["audit:read", access.readAudits, access.seesWhoDidWhat],
];

/** The scopes that need an explanation of their effects. */
export const EXPLAINED_SCOPES: readonly (readonly [title: string, scopes: readonly ExplainedScope[]])[] = [
  [t.identitiesOfDevices, IDENTITY_SCOPES],
  [t.commandsAndPeople, REACHING_SCOPES],
  [t.messagesToOtherSystems, WEBHOOK_SCOPES],
  [access.rightsOfPeopleAndPrograms, ACCESS_SCOPES],
];

/**
 * The scopes with which a caller can act as a device, end its identity, or have data sent elsewhere, as the service
 * lists them.
 */
export const DANGEROUS_SCOPES: ReadonlySet<string> = new Set(dangerous);
