import { hash } from "node:crypto";
import { type Caller, useCase } from "../access/access.ts";
import { recordWrite } from "../audit/audit.ts";
import { inTransaction } from "../db/transaction.ts";
import { lockDevice, resolveTopics } from "../devices/devices.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { isDeviceId } from "../lib/ids.ts";
import { buildPkcs12, type DeviceKey, generateDeviceKey, newPassphrase, platform } from "../pki/pki.ts";
import { type BundleFacts, readBundleFacts, recordBundle } from "./bundle-store.ts";
import { countOutcomes } from "./count-outcomes.ts";
import type { EnrollmentDeps } from "./deps.ts";
import { refusal } from "./errors.ts";
import { MAX_ACTIVE_PLATFORM_CERTS_PER_DEVICE } from "./limits.ts";
import { type SignedLeaf, signLeaf } from "./sign-leaf.ts";

export interface BundleRequest {
  deviceId: string;
  acknowledgeSelfEnrollmentOverride?: boolean | undefined;
}

/** Spec 2.4. The key and the passphrase are not stored: this response is their only copy. */
export interface Bundle {
  id: string;
  deviceId: string;
  serialNumber: string;
  fingerprintSha256: string;
  certExpiresAt: string;
  publishTopics: string[];
  privateKeyPem: string;
  clientCertPem: string;
  clientCertChainPem: string;
  serverCaBundlePem: string;
  pkcs12Base64: string;
  pkcs12Passphrase: string;
}

/**
 * Issues a certificate with its key for a device that cannot generate its own (spec 4.7), and revokes nothing. The
 * facts are checked twice: before the signature, so that a refusal is cheap, and under the lock of the device's row,
 * which decides.
 *
 * @throws MusterError device_not_found, device_cert_cap_reached, client_id_in_use, device_self_enrolled,
 * issuance_failed
 */
export const issueBundle = useCase(
  { scope: "device-certificates:issue", role: "admin" },
  countOutcomes("bundle", async (deps, caller: Caller, request: BundleRequest): Promise<Bundle> => {
    const now = deps.clock.now();
    const { deviceId } = request;
    if (!isDeviceId(deviceId)) throw refusal("device_not_found");
    requireIssuable(await readBundleFacts(deps.database.db, caller.tenantId, deviceId, now), request);
    const key = await generateDeviceKey();
    const signed = await signLeaf(deps, { profile: platform, deviceId, spki: key.spki, now });
    const recorded = await recordCertificate(deps, caller, request, { key, signed, now });
    await faultPoint("bundle.committed");
    return { ...recorded, deviceId, ...contentsOf(deps, deviceId, key, signed) };
  }),
);

function requireIssuable(facts: BundleFacts | undefined, request: BundleRequest): asserts facts {
  if (facts === undefined) throw refusal("device_not_found");
  const { activeCount } = facts;
  const maxActivePlatformCertsPerDevice = MAX_ACTIVE_PLATFORM_CERTS_PER_DEVICE;
  if (activeCount >= maxActivePlatformCertsPerDevice) {
    throw refusal("device_cert_cap_reached", { extra: { activeCount, maxActivePlatformCertsPerDevice } });
  }
  if (facts.clientIdInUse) throw refusal("client_id_in_use");
  if (facts.selfEnrolled && request.acknowledgeSelfEnrollmentOverride !== true) throw refusal("device_self_enrolled");
}

async function recordCertificate(
  deps: EnrollmentDeps,
  caller: Caller,
  request: BundleRequest,
  { key, signed, now }: { key: DeviceKey; signed: SignedLeaf; now: Date },
): Promise<{ id: string; publishTopics: string[] }> {
  const id = deps.ids.uuid(now);
  const { deviceId } = request;
  return await inTransaction(deps.database.db, async (tx) => {
    if ((await lockDevice(tx, caller.tenantId, deviceId)) === undefined) throw refusal("device_not_found");
    const facts = await readBundleFacts(tx, caller.tenantId, deviceId, now);
    requireIssuable(facts, request);
    const publishTopics = resolveTopics(facts.publishTemplates, caller.tenantSlug, deviceId);
    const issued = {
      id,
      kind: "platform" as const,
      leaf: signed.leaf,
      spkiSha256: hash("sha256", key.spki, "buffer"),
      publishTopics,
      subscribeTopics: resolveTopics(facts.subscribeTemplates, caller.tenantSlug, deviceId),
      issuedBy: caller.actor,
      claimId: null,
    };
    const recorded = await recordBundle(tx, facts.deviceUid, issued, deps.ids.uuid(now), now);
    if (!recorded) throw refusal("client_id_in_use");
    const { serialNumber, fingerprintSha256 } = signed.leaf;
    const certificate = { id, serialNumber, fingerprintSha256 };
    await recordWrite(tx, caller, { resource: "certificate", id, result: "created", at: now, certificate }, deps.ids);
    await faultPoint("bundle.commit");
    return { id, publishTopics };
  });
}

function contentsOf(deps: EnrollmentDeps, deviceId: string, key: DeviceKey, { leaf, chainPem, chainDers }: SignedLeaf) {
  const passphrase = newPassphrase(deps.ids);
  const { privateKeyPkcs8 } = key;
  const pkcs12 = { privateKeyPkcs8, leafDer: leaf.der, chainDers, passphrase, friendlyName: deviceId };
  return {
    serialNumber: leaf.serialNumber,
    fingerprintSha256: leaf.fingerprintSha256,
    certExpiresAt: leaf.notAfter.toISOString(),
    privateKeyPem: key.privateKeyPem,
    clientCertPem: leaf.pem,
    clientCertChainPem: chainPem,
    serverCaBundlePem: deps.authorities.serverCaBundlePem(),
    pkcs12Base64: buildPkcs12(pkcs12, deps.ids).toString("base64"),
    pkcs12Passphrase: passphrase,
  };
}
