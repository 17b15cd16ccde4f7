/**
 * A platform engineer's program with a client generated from `openapi/public.json`; `./public.ts` is the output of
 * openapi-typescript. The test `server/test/api/client.test.ts` type-checks it and runs it against a server.
 */
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./public.ts";

const { BASE_URL: baseUrl = "", API_KEY: key = "", CSR: csr = "", SHIFT_ID: shiftId = "" } = process.env;
const api = createClient<paths>({ baseUrl, headers: { "X-API-Key": key } });

/** Returns the answer's body, or throws the error. */
function must<T>({ data, error }: { data?: T; error?: components["schemas"]["Error"] }): T {
  if (error) throw new Error(`${error.error}: ${error.message} (request ${error.requestId})`);
  return data as T;
}

// A group with a shift, and rules that watch its devices.
assert.equal(must(await api.GET("/api/v1/groups")).total, 0);
const group = must(
  await api.POST("/api/v1/groups", {
    params: { header: { "Idempotency-Key": "group-1" } },
    body: { name: "Pump hall", escalation: [{ afterMinutes: 0, notify: "shift" }] },
  }),
);
const shifts = must(await api.GET("/api/v1/shifts", { params: { query: { limit: 10 } } }));
assert.deepEqual(
  shifts.items.map(({ id }) => id),
  [shiftId],
);
const assigned = must(
  await api.POST("/api/v1/groups/{groupId}/shifts", { params: { path: { groupId: group.id } }, body: { shiftId } }),
);
assert.deepEqual(assigned.shiftIds, [shiftId]);
const threshold = must(
  await api.POST("/api/v1/thresholds", {
    body: { name: "Bearings", rules: [{ metric: "temperature", operator: "gt", value: 90, severity: "major" }] },
  }),
);
assert.equal(threshold.rules[0]?.clearValue, 90);

// A claim, and the device that redeems it.
const claim = must(
  await api.POST("/api/v1/provisioning/claims", {
    body: { intendedName: "Feed pump", intendedGroupIds: [group.id], expiresInMinutes: 60 },
  }),
);
const redeemed = await fetch(`${baseUrl}/api/provisioning/claim`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({
    claimCode: claim.claimCode,
    hardwareFingerprint: "SN-40012",
    hardwareModel: "PG-200",
    agentVersion: "2.4.1",
    csr,
  }),
});
assert.equal(redeemed.status, 200);
const { deviceId } = (await redeemed.json()) as { deviceId: string };
const used = must(await api.GET("/api/v1/provisioning/claims/{id}", { params: { path: { id: claim.id } } }));
assert.deepEqual([used.status, used.deviceIds], ["used", [deviceId]]);

// The current device, changed only if its ETag still matches.
const devices = must(await api.GET("/api/v1/devices", { params: { query: { groupId: group.id } } }));
assert.deepEqual(
  devices.items.map(({ id }) => id),
  [deviceId],
);
const path = { id: deviceId };
const before = await api.GET("/api/v1/devices/{id}", { params: { path } });
const { deviceTypeId, groupIds, metadata } = must(before);
const replacement = { name: "Feed pump 1", deviceTypeId, groupIds, metadata, thresholdIds: [threshold.id] };
const header = { "If-Match": before.response.headers.get("etag") ?? "" };
const device = must(await api.PUT("/api/v1/devices/{id}", { params: { path, header }, body: replacement }));
assert.deepEqual([device.name, device.thresholdIds], ["Feed pump 1", [threshold.id]]);
const late = await api.PUT("/api/v1/devices/{id}", { params: { path, header }, body: { name: "Feed pump 2" } });
assert.equal(late.error?.error, "precondition_failed");

// A bundle beside the certificate of the enrolled device, and its revocation.
const refused = await api.POST("/api/v1/device-certificates", { body: { deviceId } });
assert.equal(refused.error?.error, "device_self_enrolled");
const bundle = must(
  await api.POST("/api/v1/device-certificates", { body: { deviceId, acknowledgeSelfEnrollmentOverride: true } }),
);
assert.match(bundle.privateKeyPem, /BEGIN PRIVATE KEY/);
const active = { deviceId, status: "active" } as const;
const certificates = must(await api.GET("/api/v1/device-certificates", { params: { query: active } }));
assert.deepEqual(
  certificates.items.map(({ kind }) => kind),
  ["platform", "self_enrolled"],
);
const gone = await api.DELETE("/api/v1/device-certificates/{id}", { params: { path: { id: bundle.id } } });
assert.equal(gone.response.status, 204);
const audit = must(await api.GET("/api/v1/device-certificates/audit"));
assert.deepEqual(
  audit.items.map((entry) => entry.kind),
  ["device_cert_revoked", "device_cert_minted", "device_cert_enrolled"],
);

// A ticket for work on the device.
const { total: anomalies } = must(
  await api.GET("/api/v1/anomalies", { params: { query: { deviceId, status: "open" } } }),
);
assert.equal(anomalies, 0);
const ticket = must(
  await api.POST("/api/v1/tickets", { body: { title: "Grease the bearing", deviceId, priority: "high" } }),
);
const ticketPath = { path: { id: ticket.id } };
const started = must(await api.PATCH("/api/v1/tickets/{id}", { params: ticketPath, body: { status: "in_progress" } }));
assert.deepEqual([started.number, started.status], [1, "in_progress"]);
const impossible = await api.PATCH("/api/v1/tickets/{id}", { params: ticketPath, body: { status: "open" } });
if (impossible.response.status === 409) assert.equal(impossible.error?.error, "invalid_transition");

// Errors and enumerations that the compiler checks.
const unknown = await api.POST("/api/v1/provisioning/claims", {
  body: { intendedName: "x", intendedGroupIds: ["nowhere"] },
});
assert.deepEqual([unknown.error?.error, unknown.error?.detail], ["invalid_request", "nowhere"]);
// @ts-expect-error: no such status
await api.GET("/api/v1/tickets", { params: { query: { status: "closed" } } });

console.log(JSON.stringify({ deviceId, ticket: started.number }));
