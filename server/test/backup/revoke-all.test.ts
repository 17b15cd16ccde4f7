/**
 * A restore brings back data, never access. The tests rehearse it with pg_dump on PostgreSQL, and with `muster backup`
 * on the embedded database.
 */
import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { CREDENTIALS, NOT_CREDENTIALS, TABLES_WITHOUT_CREDENTIALS } from "../../src/backup/backup.ts";
import { createDoctor } from "../../src/doctor/doctor.ts";
import { copyOfDatabase } from "../harness/database/copy-of-database.ts";
import { onPostgres } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { connectMqtt, enrollDevice, newTenant } from "../harness/devices.ts";
import { openStream } from "../harness/http/event-streams.ts";
import { type CommandLine, startCommandLine } from "../harness/processes/command-line.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { newBrowser, PASSWORD, signIn, tokenOf } from "../harness/sign-in.ts";
import { acceptedOf, type ClientCredential, type Created, call, makeCredentials, mqttClient } from "./credentials.ts";

let commandLine: CommandLine;
before(async () => {
  commandLine = await startCommandLine();
});
after(() => commandLine.stop());

const ALL = Object.keys(CREDENTIALS).filter(
  (name) => CREDENTIALS[name as keyof typeof CREDENTIALS].revokeAll !== "kept",
) as ClientCredential[];
/** The credentials that are accepted after a restore without a later state and without `--revoke-all`. */
const REVIVED = ALL.filter((name) => onPostgres || CREDENTIALS[name].withoutLaterState !== "ended");

async function muster(server: TestServer, ...args: string[]) {
  const ran = await commandLine.run(args, server.dataDir);
  return { ...ran, json: () => JSON.parse(ran.stdout) };
}

async function started(t: TestContext): Promise<TestServer> {
  const server = await startServer();
  t.after(server.stop);
  return server;
}

test("every table, and every column that looks like a credential, is classified", async (t) => {
  const server = await started(t);
  const columns = await runSql<{ table: string; column: string }>(
    server.app.database.db,
    `SELECT c.relname AS table, a.attname AS column FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2`,
  );
  const credentials: string[] = Object.values(CREDENTIALS).flatMap(({ columns }) => [...columns]);
  const tables = new Set(columns.map(({ table }) => table));
  const classified = new Set([...credentials.map((name) => name.split(".")[0]!), ...TABLES_WITHOUT_CREDENTIALS]);
  assert.deepEqual([...tables].sort(), [...classified].sort(), "tables");
  const names = columns.map(({ table, column }) => `${table}.${column}`);
  const suspect = /hash|hmac|secret|token|password|code|sha256|sealed|seed|private|fingerprint|serial|(^|_)key($|_)/;
  const suspicious = names.filter((name) => suspect.test(name.split(".")[1]!));
  const unclassified = suspicious.filter((name) => !credentials.includes(name) && !(name in NOT_CREDENTIALS));
  assert.deepEqual(unclassified, [], "columns");
  for (const name of [...credentials, ...Object.keys(NOT_CREDENTIALS)]) assert.ok(names.includes(name), name);
});

test("after a recovery to an earlier state muster revoke-all ends every credential that had ended, and prints how to sign in again", async (t) => {
  const server = await started(t);
  const made = await makeCredentials(server);
  assert.deepEqual(await acceptedOf(server, made.attempts), ALL);
  const copy = await copyOfDatabase(server, (remove) => t.after(remove));
  const restored = await copy.start();
  assert.deepEqual(await acceptedOf(restored, made.attempts), REVIVED, "the recovery alone revives them");

  const unstated = await muster(restored, "revoke-all", "--yes");
  assert.equal(unstated.code, 1);
  assert.match(
    unstated.stderr,
    /device certificates are valid\. Choose --revoke-certificates, .* or --keep-certificates/,
  );
  assert.deepEqual(await acceptedOf(restored, made.attempts), REVIVED, "nothing was ended");
  const unconfirmed = await muster(restored, "revoke-all", "--revoke-certificates");
  assert.equal(unconfirmed.code, 2);
  assert.match(unconfirmed.stderr, /confirm it with --yes/);

  const done = await muster(restored, "revoke-all", "--yes", "--revoke-certificates", "--json");
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(await acceptedOf(restored, made.attempts), []);
  const { ended, certificates, sessionsClosed, operators } = done.json();
  // The copy also has the node of the copied service, until it is reaped.
  assert.ok(sessionsClosed || onPostgres);
  assert.ok(certificates.revoked >= 1 && certificates.kept === 0, JSON.stringify(certificates));
  for (const name of ["sessions", "passwords", "factors", "passkeys", "apiKeys", "mqttClients", "claims"])
    assert.ok(ended[name] >= 1, `${name}: ${ended[name]}`);
  await comesIn(restored, made, operators);
  const [row] = await runSql<{ factors: number }>(
    restored.app.database.db,
    "SELECT (SELECT count(*)::int FROM user_factors) + (SELECT count(*)::int FROM passkeys) + (SELECT count(*)::int FROM recovery_codes) AS factors",
  );
  assert.equal(row!.factors, 0);
  const { checks } = await createDoctor({ ...restored.app, clock: restored.clock }).examine({ deep: true });
  assert.deepEqual(
    checks.filter((check) => !check.ok && check.level === "must" && !/heartbeat/.test(check.name)),
    [],
  );
  const acts = await restored.app.access.listInstallationActs({ skip: 0, limit: 10 });
  assert.ok(
    acts.some(({ act, after }) => act === "access.revoke-all" && JSON.stringify(after).includes('"passwords"')),
  );
});

/** The operator sets a password through the printed link, and invites another user. */
async function comesIn(server: TestServer, { operator, tenant }: Created, links: { email: string; url: string }[]) {
  // The first user of an installation runs it, too.
  assert.deepEqual(
    links.map(({ email }) => email),
    [tenant.admin.email, operator.email],
  );
  const password = `${PASSWORD} again`;
  const browser = newBrowser(server);
  const reset = await browser.call("POST", "/password/reset", { body: { token: tokenOf(links[1]!.url), password } });
  assert.equal(reset.status, 204, reset.text);
  const signedIn = await browser.call("POST", "/session", { body: { email: operator.email, password } });
  assert.equal(signedIn.status, 200, signedIn.text);
  const link = await browser.call("POST", `/users/${tenant.admin.id}/reset`, {});
  assert.equal(link.status, 201, link.text);
}

test("with --keep-certificates devices stay connected, and a repetition ends nothing more", async (t) => {
  const server = await started(t);
  const { attempts } = await makeCredentials(server);
  const first = await muster(server, "revoke-all", "--yes", "--keep-certificates");
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /1 device certificate kept\. Revoke those that were revoked after the backup/);
  assert.match(first.stdout, /https:\/\/\S+\/reset#\S+ {2}until /);
  assert.deepEqual(await acceptedOf(server, attempts), ["certificate"]);
  const again = (await muster(server, "revoke-all", "--yes", "--keep-certificates", "--json")).json();
  assert.deepEqual(again.ended, {
    sessions: 0,
    links: 2,
    passwords: 0,
    factors: 0,
    passkeys: 0,
    apiKeys: 0,
    mqttClients: 0,
    claims: 0,
  });
});

test("open sessions, streams, MQTT clients and device connections end in all running processes", async (t) => {
  const server = await started(t);
  const other = onPostgres ? await startServer({ share: server }) : server;
  if (other !== server) t.after(other.stop);
  const { tenant, operator } = await makeCredentials(server);
  const user = await signIn(server, tenant);
  const gateway = await mqttClient(server, tenant);
  const device = await enrollDevice(server, tenant);
  const stream = await openStream(other, "/api/admin/events", { "sec-fetch-site": "same-origin", cookie: user.cookie });
  assert.equal(stream.status, 200);
  const clients = [await gateway.connect(other), await connectMqtt(other, device)];
  const closed = clients.map((client) => new Promise<void>((resolve) => client.once("close", () => resolve())));
  const done = (await muster(server, "revoke-all", "--yes", "--revoke-certificates", "--json")).json();
  assert.equal(done.sessionsClosed, true);
  assert.equal((await call(other, "/session", user.cookie)).status, 401);
  await Promise.all([stream.ended, ...closed]);
  const rights = await newBrowser(other).call("POST", "/session", {
    body: { email: operator.email, password: PASSWORD },
  });
  assert.equal(rights.status, 401);
});

test("a user whose password was revoked cannot request a link by mail, but gets one from an admin", async (t) => {
  const server = await startServer({ env: { MUSTER_SMTP_URL: "smtp://127.0.0.1:9" } });
  t.after(server.stop);
  const { operator } = await makeCredentials(server);
  await muster(server, "revoke-all", "--yes", "--keep-certificates");
  await runSql(server.app.database.db, "DELETE FROM one_time_links");
  const asked = await newBrowser(server).call("POST", "/password/forgot", { body: { email: operator.email } });
  assert.equal(asked.status, 204, asked.text);
  const links = await runSql(server.app.database.db, "SELECT FROM one_time_links");
  assert.equal(links.length, 0);
});

test("races: a sign-in and links that are used at the same moment do not survive revoke-all", async (t) => {
  const server = await started(t);
  const other = onPostgres ? await startServer({ share: server }) : server;
  if (other !== server) t.after(other.stop);
  for (let round = 0; round < 5; round++) {
    const tenant = await newTenant(server);
    const user = await signIn(server, tenant);
    const { url } = await server.app.identity.createResetLink(tenant.caller, user.userId);
    const invite = await server.app.identity.inviteUser(tenant.caller, {
      email: `r${round}@example.com`,
      role: "admin",
    });
    const token = tokenOf(url);
    await Promise.all([
      server.app.backup.revokeAll({ certificates: "keep" }),
      newBrowser(other).call("POST", "/session", { body: { email: user.email, password: PASSWORD } }),
      newBrowser(other).call("POST", "/password/reset", { body: { token, password: `${PASSWORD} two` } }),
      newBrowser(other).call("POST", "/invites/accept", { body: { token: tokenOf(invite.url), password: PASSWORD } }),
    ]);
    const [left] = await runSql<{ left: number }>(
      server.app.database.db,
      `SELECT ((SELECT count(*) FROM user_sessions) + (SELECT count(*) FROM users WHERE password_hash <> '')
             + (SELECT count(*) FROM one_time_links WHERE created_by <> 'system'))::int AS left`,
    );
    assert.equal(left!.left, 0, `round ${round}`);
  }
});
