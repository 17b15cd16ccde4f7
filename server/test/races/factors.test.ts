import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Session } from "../../src/identity/identity.ts";
import { MINUTE } from "../../src/lib/clock.ts";
import { onPostgres } from "../harness/database/database.ts";
import { ADDRESS, addTenant, type Tenant } from "../harness/enrollment.ts";
import { softAuthenticator } from "../harness/http/passkeys.ts";
import { authenticator } from "../harness/second-factor.ts";
import { PASSWORD, tokenOf } from "../harness/sign-in.ts";
import { type Job, type RaceTrack, startRaces, tally } from "./races.ts";

// With MUSTER_TEST_DATABASE_URL each race is between two server processes; otherwise within the process of the embedded
// database.
let track: RaceTrack;
let tenant: Tenant;
before(async () => {
  track = await startRaces();
  tenant = await addTenant(track);
});
after(() => track.stop());

const ROUNDS = onPostgres ? 5 : 2;
const VISIT = { address: ADDRESS, userAgent: "" };

/** A user with a second factor. */
async function addUser(email: string) {
  const { identity, clock } = track;
  const { url } = await identity.inviteUser(tenant.caller, { email, role: "viewer" });
  const { session } = await identity.acceptInvite({ token: tokenOf(url), password: PASSWORD, ...VISIT });
  const { id, secret } = await identity.startFactor(session);
  const app = authenticator(clock, secret);
  const { recoveryCodes } = await identity.confirmFactor(session, { id, code: app.nextCode(), address: ADDRESS });
  return { app, recoveryCodes };
}

/** Sessions of the user that lack the code. */
async function signInTimes(email: string, times: number): Promise<Session[]> {
  const sessions: Session[] = [];
  while (sessions.length < times)
    sessions.push((await track.identity.signIn({ email, password: PASSWORD, ...VISIT })).session);
  return sessions;
}

test("of six sign-ins with one code over two processes one is completed, and likewise with a recovery code", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const email = `user-${round}@example.com`;
    const { app, recoveryCodes } = await addUser(email);
    for (const code of [app.nextCode(), recoveryCodes[0]!]) {
      track.clock.advance(code === recoveryCodes[0] ? 10 * MINUTE : 0);
      const sessions = await signInTimes(email, 6);
      const jobs = sessions.map((session): Job => ({ use: "giveFactor", args: [session, { code, ...VISIT }] }));
      assert.deepEqual(tally(await track.race(jobs)), { ok: 1, invalid_credentials: 5 });
    }
  }
  await track.assertConsistent();
});

/** A user with a passkey, whose session is returned. */
async function addHolder(email: string, counts: boolean) {
  const { identity } = track;
  const { url } = await identity.inviteUser(tenant.caller, { email, role: "viewer" });
  const { session } = await identity.acceptInvite({ token: tokenOf(url), password: PASSWORD, ...VISIT });
  const { options, challengeCookie } = await identity.startPasskey(session);
  const device = softAuthenticator(`https://${options.rp.id}`, { counts });
  const passkey = device.create(options);
  const added = await identity.addPasskey(session, { name: "Laptop", passkey, challengeCookie, address: ADDRESS });
  return { session, device, passkeyId: added.passkey.id };
}

test("of six uses of one signed challenge over two processes one begins a session", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { device } = await addHolder(`holder-${round}@example.com`, round % 2 === 0);
    const { options, challengeCookie } = await track.identity.startPasskeySignIn();
    // An authenticator without a counter leaves the decision to the challenge alone.
    const passkey = device.get(options);
    const job: Job = { use: "completePasskeySignIn", args: [{ passkey, challengeCookie, ...VISIT }] };
    assert.deepEqual(tally(await track.race([job, job, job, job, job, job])), { ok: 1, challenge_expired: 5 });
  }
  await track.assertConsistent();
});

test("of six signatures with one counter over two processes one is accepted", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { device } = await addHolder(`copy-${round}@example.com`, true);
    const jobs = await Promise.all(
      Array.from({ length: 6 }, async (): Promise<Job> => {
        const { options, challengeCookie } = await track.identity.startPasskeySignIn();
        const passkey = device.get(options, { counter: 7 });
        return { use: "completePasskeySignIn", args: [{ passkey, challengeCookie, ...VISIT }] };
      }),
    );
    assert.deepEqual(tally(await track.race(jobs)), { ok: 1, invalid_credentials: 5 });
  }
});
