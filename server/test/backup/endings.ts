/** Credentials that end after a backup, and what a restore of that backup must leave ended or open. */
import assert from "node:assert/strict";
import type { Carried } from "../../src/backup/later-state.ts";
import { connectMqtt, enrollDevice, newKey, newTenant, redeem, redemption } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { addPasskey, type SoftAuthenticator, signInWith, softAuthenticator } from "../harness/http/passkeys.ts";
import { turnOnFactor } from "../harness/second-factor.ts";
import type { TestServer } from "../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn } from "../harness/sign-in.ts";
import { mqttClient } from "./credentials.ts";

export interface Endings {
  /** Ends some of the credentials after the backup. */
  end(): Promise<void>;
  /** The changes that the restore carries over. */
  changed: Partial<Carried>;
  /** Tries each credential at the restored service. */
  verify(restored: TestServer): Promise<void>;
}

export const signsIn = async (at: TestServer, { email }: { email: string }, password = PASSWORD) =>
  (await newBrowser(at).call("POST", "/session", { body: { email, password } })).status === 200;

/** Creates users who are then deleted, deactivated, demoted or given another password, and one who is not. */
export async function userEndings(server: TestServer): Promise<Endings> {
  const { caller, ...tenant } = await newTenant(server);
  const user = () => signIn(server, { ...tenant, caller });
  const [deleted, deactivated, demoted, changed, unchanged] = [
    await user(),
    await user(),
    await user(),
    await user(),
    await user(),
  ];
  let drawn = "";
  return {
    changed: { users: 4 },
    async end() {
      const { access } = server.app;
      await access.deleteUser(caller, deleted.email);
      await access.deactivateUser(caller, deactivated.email);
      await access.changeUser(caller, demoted.userId, { role: "viewer" });
      drawn = (await access.replacePassword(caller, changed.email)).password;
    },
    async verify(at) {
      for (const user of [deleted, deactivated, changed]) assert.equal(await signsIn(at, user), false, user.email);
      assert.ok(await signsIn(at, changed, drawn), "the present password signs in");
      assert.ok(await signsIn(at, unchanged));
      const body = { email: demoted.email, password: PASSWORD };
      const session = await newBrowser(at).call("POST", "/session", { body });
      assert.equal(session.json.user.role, "viewer");
      for (const { cookie } of [deleted, deactivated, demoted, changed, unchanged]) {
        const headers = { "sec-fetch-site": "same-origin", cookie };
        const answer = await https(`${at.httpUrl}/api/admin/session`, { method: "GET", ca: at.ca, headers });
        assert.equal(answer.status, 401);
      }
    },
  };
}

/**
 * Creates a second factor that is replaced, one that is reset, a recovery code that is used, and passkeys of which one
 * is removed and another one added.
 */
export async function factorEndings(server: TestServer): Promise<Endings> {
  const tenant = await newTenant(server);
  const user = () => signIn(server, tenant);
  const [lost, replaced, used] = [await user(), await user(), await user()];
  await turnOnFactor(server, lost);
  const [superseded, kept] = [await turnOnFactor(server, replaced), await turnOnFactor(server, used)];
  const [first, second] = kept.recoveryCodes as [string, string];
  let present = superseded;
  const holder = await user();
  const [gone, stays] = [await addPasskey(server, holder), await addPasskey(server, holder)];
  const later = softAuthenticator(server.httpUrl);
  return {
    changed: {},
    async end() {
      await server.app.identity.resetFactor(tenant.caller, lost.userId);
      present = await turnOnFactor(server, replaced);
      assert.equal(await signInWithFactor(server, used, first), 200);
      assert.equal((await holder.call("DELETE", `/passkeys/${gone.passkeyId}`)).status, 204);
      await addPasskey(server, holder, "Phone", later);
    },
    async verify(at) {
      assert.ok(await signsIn(at, lost));
      assert.equal(await signInWithFactor(at, replaced, superseded.nextCode()), 401, "the superseded factor");
      assert.equal(await signInWithFactor(at, replaced, present.nextCode()), 200, "the present factor");
      assert.equal(await signInWithFactor(at, used, first), 401, "a used recovery code");
      assert.equal(await signInWithFactor(at, used, second), 200, "another one");
      const { origin, hostname: rpId } = new URL(at.httpUrl);
      const signs = async (device: SoftAuthenticator) =>
        (await signInWith(newBrowser(at), device, { origin, rpId })).status;
      assert.deepEqual([await signs(gone.device), await signs(stays.device), await signs(later)], [401, 200, 200]);
    },
  };
}

/**
 * Signs in with the password and a code.
 * @returns the status of the second step
 */
async function signInWithFactor(at: TestServer, { email }: SignedIn, code: string): Promise<number> {
  const browser = newBrowser(at);
  const begun = await browser.call("POST", "/session", { body: { email, password: PASSWORD } });
  assert.equal(begun.status, 200, begun.text);
  return (await browser.call("POST", "/session/factor", { body: { code } })).status;
}

/** Creates API keys, MQTT clients, devices and claims, some of which are ended. */
export async function holderEndings(server: TestServer): Promise<Endings> {
  const tenant = await newTenant(server);
  const { caller } = tenant;
  const { access, connections, enrollment, certificates } = server.app;
  const key = () => newKey(server, tenant, "devices:read");
  const [kept, revokedKey] = [await key(), await key()];
  const client = () => mqttClient(server, tenant);
  const [disabled, deleted, rotated, untouched] = [await client(), await client(), await client(), await client()];
  const device = () => enrollDevice(server, tenant);
  const [revoked, blocked, valid] = [await device(), await device(), await device()];
  const claim = () => enrollment.createClaim(caller, { intendedName: "later" });
  const [withdrawn, open] = [await claim(), await claim()];
  let password = "";
  return {
    changed: { apiKeys: 1, mqttClients: 3, claims: 1, certificates: 2 },
    async end() {
      const keys = await access.listKeys(caller, { skip: 0, limit: 10 });
      await access.revokeKey(caller, keys.items.find(({ id }) => revokedKey.includes(id))!.id);
      await connections.disableMqttClient(caller, disabled.clientId);
      await connections.deleteMqttClient(caller, deleted.clientId);
      password = (await connections.rotateMqttClientPassword(caller, rotated.clientId)).password;
      const { items } = await certificates.listCertificates(caller, { skip: 0, limit: 10 });
      const ofDevice = ({ deviceId }: { deviceId: string }) => items.find((each) => each.deviceId === deviceId)!.id;
      await enrollment.revokeCertificate(caller, ofDevice(revoked));
      await enrollment.blockKey({ certificateId: ofDevice(blocked) });
      await enrollment.revokeClaim(caller, withdrawn.id);
    },
    async verify(at) {
      const byKey = async (key: string) =>
        (await https(`${at.httpUrl}/api/v1/devices`, { ca: at.ca, headers: { "x-api-key": key } })).status;
      assert.deepEqual([await byKey(kept), await byKey(revokedKey)], [200, 401]);
      for (const each of [disabled, deleted, rotated]) assert.equal(await connects(each.connect(at)), false);
      const bare = { deviceId: rotated.clientId, fullchain: "", key: "", ca: at.ca };
      const login = { username: rotated.clientId, password };
      assert.ok(await connects(connectMqtt(at, bare, login)), "the present password");
      assert.ok(await connects(untouched.connect(at)));
      for (const each of [revoked, blocked]) assert.equal(await connects(connectMqtt(at, each)), false);
      assert.ok(await connects(connectMqtt(at, valid)));
      const redeemed = async (code: string) => (await redeem(at, (await redemption(code)).body)).status;
      assert.deepEqual([await redeemed(withdrawn.claimCode), await redeemed(open.claimCode)], [410, 200]);
    },
  };
}

const connects = (connecting: ReturnType<typeof connectMqtt>) =>
  connecting.then(
    (client) => client.endAsync(true).then(() => true),
    () => false,
  );
