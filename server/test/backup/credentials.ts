import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { CredentialName } from "../../src/backup/backup.ts";
import { runSql } from "../harness/database/run-sql.ts";
import {
  connectMqtt,
  enrollDevice,
  newKey,
  newTenant,
  redeem,
  redemption,
  type TestTenant,
} from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { addPasskey, signInWith } from "../harness/http/passkeys.ts";
import { turnOnFactor } from "../harness/second-factor.ts";
import type { TestServer } from "../harness/server.ts";
import { newBrowser, type SignedIn, signIn, tokenOf } from "../harness/sign-in.ts";

/** The credentials of clients, without the keys by which the service identifies itself. */
export type ClientCredential = Exclude<CredentialName, "authority" | "retiredKey" | "webhookSecret" | "integration">;

/** Presents each credential to a service over the network. Each attempt resolves to whether it was accepted. */
export type Attempts = Record<ClientCredential, (server: TestServer) => Promise<boolean>>;

export interface Created {
  tenant: TestTenant;
  operator: SignedIn;
  attempts: Attempts;
}

/** Creates one credential of each kind. */
export async function makeCredentials(server: TestServer): Promise<Created> {
  const tenant = await newTenant(server);
  const [operator, plain, withFactor] = [
    await signIn(server, tenant),
    await signIn(server, tenant),
    await signIn(server, tenant),
  ];
  await server.app.access.setPlatformUser(tenant.caller, operator.email, true);
  // The change of the operator's role ended the session.
  const app = await turnOnFactor(server, withFactor);
  const { device: passkey } = await addPasskey(server, await signIn(server, tenant));
  const codes = [...app.recoveryCodes];
  const password = (user: SignedIn) => ({ email: user.email, password: user.password });
  const factorBy = async (at: TestServer, code: () => string) => {
    const browser = newBrowser(at);
    const begun = await browser.call("POST", "/session", { body: password(withFactor) });
    if (begun.status !== 200) return false;
    return (await browser.call("POST", "/session/factor", { body: { code: code() } })).status === 200;
  };
  const invite = await server.app.identity.inviteUser(tenant.caller, { email: "later@example.com", role: "viewer" });
  const key = await newKey(server, tenant, "devices:read");
  const client = await mqttClient(server, tenant);
  const scim = await server.app.scim.createScimToken(tenant.caller);
  const claim = await server.app.enrollment.createClaim(tenant.caller, { intendedName: "later", maxUses: 50 });
  const device = await enrollDevice(server, tenant);
  const { json: calendar } = await plain.call("POST", "/duties/feeds", { body: {} });
  const channelToken = await channelLink(server, plain);
  return {
    tenant,
    operator,
    attempts: {
      session: async (at) => (await call(at, "/session", plain.cookie)).status === 200,
      link: async (at) => {
        const answer = await newBrowser(at).call("POST", "/invites/open", { body: { token: tokenOf(invite.url) } });
        return answer.status === 200;
      },
      channelLink: async (at) => {
        const { text } = await https(`${at.httpUrl}/confirm/${channelToken}`, { ca: at.ca });
        return text.includes("<form");
      },
      dutyFeed: async (at) => {
        const { pathname } = new URL(calendar.url);
        return (await https(at.httpUrl + pathname, { ca: at.ca })).status === 200;
      },
      recoveryCode: (at) => factorBy(at, () => codes.pop()!),
      scimToken: async (at) => {
        const headers = { authorization: `Bearer ${scim.token}` };
        return (await https(`${at.httpUrl}/scim/v2/Users`, { ca: at.ca, headers })).status === 200;
      },
      password: async (at) => (await newBrowser(at).call("POST", "/session", { body: password(plain) })).status === 200,
      factor: (at) => factorBy(at, () => app.nextCode()),
      passkey: async (at) => {
        const { origin, hostname: rpId } = new URL(at.httpUrl);
        return (await signInWith(newBrowser(at), passkey, { origin, rpId })).status === 200;
      },
      apiKey: async (at) =>
        (await https(`${at.httpUrl}/api/v1/devices`, { ca: at.ca, headers: { "x-api-key": key } })).status === 200,
      mqttClient: (at) => opens(client.connect(at)),
      claim: async (at) => (await redeem(at, (await redemption(claim.claimCode)).body)).status === 200,
      certificate: (at) => opens(connectMqtt(at, device)),
    },
  };
}

/** Presents every credential. @returns the names of those that the service accepts */
export async function acceptedOf(server: TestServer, attempts: Partial<Attempts>): Promise<ClientCredential[]> {
  const accepted: ClientCredential[] = [];
  for (const [name, attempt] of Object.entries(attempts))
    if (await attempt(server)) accepted.push(name as ClientCredential);
  return accepted;
}

/** Sends a request of the admin app with a fixed cookie. */
export function call(server: TestServer, path: string, cookie: string) {
  const headers = { "sec-fetch-site": "same-origin", cookie };
  return https(`${server.httpUrl}/api/admin${path}`, { method: "GET", ca: server.ca, headers });
}

/** Registers an MQTT client. */
export async function mqttClient(server: TestServer, tenant: TestTenant) {
  const clientId = `gateway-${randomBytes(4).toString("hex")}`;
  const wanted = { clientId, username: clientId, publish: [], subscribe: [`t/${tenant.slug}/#`] };
  const { password } = await server.app.connections.createMqttClient(tenant.caller, wanted);
  const login = { username: clientId, password };
  return {
    clientId,
    connect: (at: TestServer) => connectMqtt(at, { deviceId: clientId, fullchain: "", key: "", ca: at.ca }, login),
  };
}

async function opens(connecting: ReturnType<typeof connectMqtt>): Promise<boolean> {
  return await connecting.then(
    (client) => client.endAsync(true).then(() => true),
    () => false,
  );
}

/** Returns the token of a mailed link that confirms a channel. The mail itself is not under test. */
async function channelLink(server: TestServer, admin: SignedIn): Promise<string> {
  const channels = [{ type: "email", target: "pager@elsewhere.example" }];
  const made = await admin.call("POST", "/groups", { body: { name: "On call", channels } });
  assert.equal(made.status, 201, made.text);
  const token = randomBytes(32).toString("base64url");
  await runSql(
    server.app.database.db,
    "UPDATE channel_addresses SET request_at = NULL, token_sha256 = $1, token_expires_at = $2 WHERE token_sha256 IS NULL AND confirmed_at IS NULL",
    [createHash("sha256").update(token).digest(), new Date(server.clock.now().getTime() + 86_400_000)],
  );
  return token;
}
