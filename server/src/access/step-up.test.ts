import assert from "node:assert/strict";
import { test } from "node:test";
import { DANGEROUS_OPERATIONS, DANGEROUS_SCOPES, dangerousScopesOf, HARMLESS_OPERATIONS } from "./step-up.ts";

/** Tells whether an operation with this body needs a step-up. */
function needsStepUp(operation: string, body: object): boolean {
  const { stepUp } = DANGEROUS_OPERATIONS[operation]!;
  return typeof stepUp === "function" ? stepUp(body as never) : stepUp === true;
}

test("what a stolen session could keep, send elsewhere or destroy needs a step-up", () => {
  const cases: [string, object, boolean][] = [
    ["createClaim", {}, false],
    ["createClaim", { maxUses: 1 }, false],
    ["createClaim", { maxUses: 2 }, true],
    ["inviteUser", { role: "operator" }, false],
    ["inviteUser", { role: "admin" }, true],
    ["createKey", { scopes: ["devices:read"] }, false],
    ["createKey", { scopes: ["devices:read", "webhooks:write"] }, true],
    ["createKey", { scopes: ["groups:*"] }, true],
    ["createKey", { scopes: ["devices:read"], serviceAccountId: "x" }, true],
    ["createGroup", {}, false],
    ["createGroup", { channels: [] }, false],
    ["createGroup", { channels: [{}] }, true],
    ["updateGroup", { channels: [{}] }, true],
    ["changeDevices", { act: "change" }, false],
    ["changeDevices", { act: "delete" }, true],
  ];
  for (const [operation, body, expected] of cases)
    assert.equal(needsStepUp(operation, body), expected, `${operation} ${JSON.stringify(body)}`);
});

test("every other dangerous operation needs one whatever its body says", () => {
  const always = Object.keys(DANGEROUS_OPERATIONS).filter((each) => DANGEROUS_OPERATIONS[each]!.stepUp === true);
  assert.deepEqual(always.sort(), [
    "addOwnChannel",
    "addOwnPush",
    "allowReenrollment",
    "changeUser",
    "createFeed",
    "createIntegration",
    "createMqttClient",
    "createScimToken",
    "createServiceAccount",
    "createTenant",
    "deleteAuditStream",
    "deleteDevice",
    "deleteServiceAccount",
    "deleteUser",
    "enableMqttClient",
    "issueCertificate",
    "mapScimGroup",
    "removeFactor",
    "removePasskey",
    "removeSingleSignOn",
    "renewRecoveryCodes",
    "resetUser",
    "resetUserFactor",
    "revokeCertificate",
    "revokeCertificatesOfDevice",
    "revokeKey",
    "rotateAuthorities",
    "rotateKey",
    "rotateMqttClientPassword",
    "saveSingleSignOn",
    "setAuditStream",
    "showWebhook",
    "startFactor",
    "startPasskey",
    "updateServiceAccount",
    "updateTenant",
  ]);
  assert.equal(DANGEROUS_OPERATIONS.sendCommand!.stepUp, "many devices");
  for (const each of Object.keys(DANGEROUS_OPERATIONS)) assert.equal(HARMLESS_OPERATIONS.has(each), false, each);
});

test("a key with the scope of a dangerous operation is dangerous, also by a wildcard", () => {
  assert.deepEqual([...DANGEROUS_SCOPES].sort(), [
    "commands:write",
    "device-certificates:issue",
    "device-certificates:read",
    "device-certificates:revoke",
    "device-registry:delete",
    "group-channels:write",
    "group-members:write",
    "groups:write",
    "mqtt-clients:write",
    "own-key:rotate",
    "provisioning:write",
    "users:write",
    "webhooks:write",
  ]);
  assert.deepEqual(dangerousScopesOf(["webhooks:*", "devices:*"]), ["webhooks:write"]);
});
