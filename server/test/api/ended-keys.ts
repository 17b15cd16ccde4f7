import { randomBytes } from "node:crypto";
import { makeKey } from "../../src/access/keys/api-key.ts";
import { DAY } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { newKey, type TestTenant } from "../harness/devices.ts";
import type { TestServer } from "../harness/server.ts";
import { callerForKey, callerForUser } from "../harness/shell-caller.ts";

/**
 * Returns keys that open nothing, by their defect: every reason of spec 7 for `invalid_api_key`. Advances the clock by
 * a day.
 */
export async function endedKeys(server: TestServer, tenant: TestTenant): Promise<Map<string, string | undefined>> {
  const { access } = server.app;
  const made = async (user: string, expiresInDays?: number) =>
    access.createKey(await access.systemCaller(tenant.slug), {
      user,
      name: "ended",
      scopes: ["devices:read"],
      expiresInDays,
    });
  const ofCreator = async (end: (email: string) => Promise<unknown>) => {
    const email = `${randomBytes(6).toString("hex")}@${tenant.slug}.example`;
    await access.createUser(await access.systemCaller(tenant.slug), { email, role: "admin" });
    const { key } = await made(email);
    await end(email);
    return key;
  };
  const active = await newKey(server, tenant, "devices:read");
  const other = await newKey(server, tenant, "devices:read");
  const revoked = await made(tenant.admin.email);
  await access.revokeKey(await callerForKey(access, revoked.id), revoked.id);
  const expired = await made(tenant.admin.email, 1);
  server.clock.advance(DAY);
  return new Map([
    ["missing", undefined],
    ["empty", ""],
    ["malformed", "rubbish"],
    ["with text after it", `${active}x`],
    ["two in one header", `${active},${active}`],
    ["10 KB long", active.padEnd(10_240, "0")],
    ["with a wrong checksum", active.slice(0, -1) + (active.endsWith("0") ? "1" : "0")],
    ["one's id with another's secret", active.slice(0, 14) + other.slice(14)],
    ["unknown", makeKey(randomIds).text],
    ["revoked", revoked.key],
    ["expired", expired.key],
    [
      "creator deactivated",
      await ofCreator(async (email) => access.deactivateUser(await callerForUser(access, email), email)),
    ],
    [
      "creator reactivated",
      await ofCreator(async (email) => {
        await access.deactivateUser(await callerForUser(access, email), email);
        await access.reactivateUser(await callerForUser(access, email), email);
      }),
    ],
    ["creator deleted", await ofCreator(async (email) => access.deleteUser(await callerForUser(access, email), email))],
    [
      "creator password-reset",
      await ofCreator(async (email) => access.replacePassword(await callerForUser(access, email), email)),
    ],
  ]);
}
