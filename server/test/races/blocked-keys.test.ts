import assert from "node:assert/strict";
import { createHash, createPublicKey } from "node:crypto";
import { after, before, test } from "node:test";
import { isMusterError } from "../../src/lib/errors.ts";
import { installFaultHook } from "../../src/lib/fault-points.ts";
import { secondDatabase } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import {
  ADDRESS,
  addTenant,
  createRegistry,
  csrOf,
  newKey,
  peerOf,
  refused,
  request,
  startRegistry,
} from "../harness/enrollment.ts";

/** A key is blocked while devices enroll and renew with it in two processes. */
let registry: Awaited<ReturnType<typeof startRegistry>>;
let other: ReturnType<typeof createRegistry>;
let closeOther: () => Promise<void>;

before(async () => {
  registry = await startRegistry();
  const database = await secondDatabase({ ...registry.database, url: (registry.database as { url?: string }).url });
  other = createRegistry({ database, clock: registry.clock });
  closeOther = () => database.close();
});
after(async () => {
  await closeOther();
  await registry.stop();
});

const ROUNDS = 12;

/** A CSR, and the hash of its key. */
function newRequest() {
  const key = newKey();
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return { csr: csrOf(key), spkiSha256: createHash("sha256").update(spki).digest("hex") };
}

for (const [what, point] of [
  ["an enrollment", "redeem.commit"],
  ["a renewal", "renew.commit"],
] as const)
  test(`${what} that was decided before its key was blocked, and is recorded after, is refused`, async (t) => {
    const tenant = await addTenant(registry);
    const { enrollment } = registry;
    const claim = await enrollment.createClaim(tenant.caller, { intendedName: "Pump", maxUses: 2 });
    const enrolled = await enrollment.redeemClaim({ address: ADDRESS }, request(claim.claimCode));
    const { csr, spkiSha256 } = newRequest();
    const peer = peerOf(enrolled.mqtt.clientCert);
    const decided = Promise.withResolvers<void>();
    const blocked = Promise.withResolvers<void>();
    t.after(() => installFaultHook(() => undefined));
    installFaultHook((reached) => {
      if (reached !== point) return undefined;
      decided.resolve();
      return blocked.promise;
    });
    const issued = refused(
      point === "renew.commit"
        ? enrollment.renewCertificate({ address: ADDRESS, peer }, { csr })
        : enrollment.redeemClaim({ address: ADDRESS }, request(claim.claimCode, { csr })),
      "invalid_csr",
    );
    await decided.promise;
    assert.deepEqual((await other.enrollment.blockKey({ spkiSha256 })).revoked, []);
    blocked.resolve();
    await issued;
    assert.equal((await enrollment.getClaim(tenant.caller, claim.id)).usedCount, 1);
    assert.ok((await registry.certificates.identifyDevice(peer)).ok, "the present certificate stays valid");
  });

test("no certificate with a blocked key is valid, whenever its enrollment or renewal began", async () => {
  const tenant = await addTenant(registry);
  const outcomes = { issued: 0, refused: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const { csr, spkiSha256 } = newRequest();
    const claim = await registry.enrollment.createClaim(tenant.caller, { intendedName: "Pump", maxUses: 20 });
    const renewing = await registry.enrollment.redeemClaim({ address: ADDRESS }, request(claim.claimCode));
    const peer = peerOf(renewing.mqtt.clientCert);
    const issue = [registry, other, registry, other].map((process, at) => async () => {
      if (at === 3) return await process.enrollment.renewCertificate({ address: ADDRESS, peer }, { csr });
      return await process.enrollment.redeemClaim({ address: ADDRESS }, request(claim.claimCode, { csr }));
    });
    const block = () => other.enrollment.blockKey({ spkiSha256 });
    const work: (() => Promise<unknown>)[] = [...issue];
    work.splice(round % 5, 0, block);
    for (const result of await Promise.allSettled(work.map((each) => each()))) {
      if (result.status === "fulfilled") outcomes.issued++;
      else if (isMusterError(result.reason, "invalid_csr")) outcomes.refused++;
      else throw result.reason;
    }
    const valid = await runSql(
      registry.database.db,
      "SELECT FROM certificates WHERE spki_sha256 = $1 AND revoked_at IS NULL",
      [Buffer.from(spkiSha256, "hex")],
    );
    assert.equal(valid.length, 0);
    await refused(
      registry.enrollment.redeemClaim({ address: ADDRESS }, request(claim.claimCode, { csr })),
      "invalid_csr",
    );
  }
  assert.equal(outcomes.issued + outcomes.refused, ROUNDS * 5);
});
