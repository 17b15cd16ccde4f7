import { recordAct } from "../audit/audit.ts";
import { countLiveCertificates } from "../certificates/certificates.ts";
import { type Connections, DROP_TIMEOUT_MS } from "../connections/connections.ts";
import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Enrollment } from "../enrollment/enrollment.ts";
import type { Identity, OperatorLink } from "../identity/identity.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { type EndedAccess, endAccess } from "./end-access.ts";

export interface RevokeAllDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  connections: Pick<Connections, "awaitDrops">;
  enrollment: Pick<Enrollment, "revokeEveryCertificate">;
  identity: Pick<Identity, "makeOperatorLinks">;
}

export interface RevokedAll {
  ended: EndedAccess;
  certificates: { revoked: number; kept: number };
  /** Whether every broker node has confirmed that the sessions of MQTT clients are closed; the others do so soon. */
  sessionsClosed: boolean;
  /** Links with which the users who run the installation regain access. */
  operators: OperatorLink[];
}

/**
 * Ends every credential (`credentials.ts`) in every process of every service on this database, as is necessary after a
 * point-in-time recovery. For the shell. Repeat it after an interruption.
 *
 * @param certificates whether to revoke device certificates; optional if none is valid
 * @throws MusterError invalid_request if it is required and missing
 */
export async function revokeAll(
  deps: RevokeAllDeps,
  { certificates }: { certificates?: "revoke" | "keep" | undefined },
): Promise<RevokedAll> {
  const { database, clock, ids, enrollment, connections, identity } = deps;
  const live = await countLiveCertificates(database.db, clock.now());
  if (certificates === undefined && live > 0) throw certificatesNotStated(live);
  const { ended, drops } = await inTransaction(database.db, async (tx) => {
    const now = clock.now();
    const done = await endAccess(tx, now);
    const act = {
      act: "access.revoke-all",
      target: "installation",
      after: { ...done.ended, certificates: certificates ?? null },
    };
    await recordAct(tx, { tenantId: null, actor: "system" }, act, { ids, now });
    return done;
  });
  const revoked = certificates === "revoke" ? await enrollment.revokeEveryCertificate() : 0;
  const sessionsClosed = await connections.awaitDrops(drops, DROP_TIMEOUT_MS);
  const kept = certificates === "revoke" ? 0 : live;
  return { ended, certificates: { revoked, kept }, sessionsClosed, operators: await identity.makeOperatorLinks() };
}

function certificatesNotStated(live: number) {
  return invalidRequest(
    `${live} device certificates are valid. Choose --revoke-certificates, after which every device must enroll again, or --keep-certificates, with which those that were revoked after the backup are valid again.`,
  );
}
