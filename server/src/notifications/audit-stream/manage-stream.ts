import { adminUseCase, type PreparedChange, useCase } from "../../access/access.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { secretsOf } from "./send-entries.ts";
import { deleteStream, findStream, type StreamKind, type StreamState, writeStream } from "./stream-store.ts";

/** The stream of a tenant's audits as its admins see it. */
export interface AuditStream {
  kind: StreamKind;
  target: string;
  caPem: string | null;
  createdAt: Date;
  lastSentAt: Date | null;
  lastError: string | null;
  /** The entries that wait, and the time of the oldest. */
  waiting: number;
  oldestAt: Date | null;
  /** Entries that no receiver took in time, or that it refused. */
  lost: number;
}

export const getAuditStream = useCase(
  { role: "admin" },
  async ({ database }: NotificationsDeps, { tenantId }): Promise<AuditStream | null> => {
    const row = await findStream(database.db, tenantId);
    return row ? toStream(row) : null;
  },
);

export interface NewStream {
  kind: StreamKind;
  /** `syslogs://host:port`, or an https address. */
  target: string;
  caPem?: string | null | undefined;
}

/**
 * Sets where the audits of the tenant are sent from now on. Only this response shows the signing secret.
 *
 * @throws MusterError invalid_request
 */
export const setAuditStream = adminUseCase(
  { role: "admin" },
  "audit-stream.update",
  async (
    deps: NotificationsDeps,
    { tenantId },
    { kind, target, caPem = null }: NewStream,
  ): Promise<PreparedChange<AuditStream & { secret: string | null }>> => {
    checkTarget(kind, target);
    return {
      change: async (tx) => {
        const before = await findStream(tx, tenantId);
        const row = {
          tenant_id: tenantId,
          kind,
          target,
          ca_pem: caPem,
          secret_seed: deps.ids.bytes(16).toString("base64url"),
          created_at: deps.clock.now(),
        };
        await writeStream(tx, row);
        const [secret = null] = kind === "syslog" ? [] : secretsOf(deps, row);
        const result = { ...toStream((await findStream(tx, tenantId))!), secret };
        const former = before && { kind: before.kind, target: before.target };
        return { target: tenantId, before: former, after: { kind, target }, result };
      },
    };
  },
);

/** Ends the stream; waiting entries are no longer sent. Idempotent. */
export const deleteAuditStream = adminUseCase(
  { role: "admin" },
  "audit-stream.delete",
  async (_deps: NotificationsDeps, { tenantId }): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      const before = await findStream(tx, tenantId);
      await deleteStream(tx, tenantId);
      const former = before && { kind: before.kind, target: before.target };
      return { target: tenantId, before: former, result: undefined, unchanged: !before };
    },
  }),
);

function checkTarget(kind: StreamKind, target: string): void {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const wanted = kind === "syslog" ? "syslogs:" : "https:";
  if (url?.protocol !== wanted || url.hostname === "" || url.username !== "" || url.hash !== "")
    throw invalidRequest(`The target must be an address that begins with ${wanted}//.`, "target");
}

function toStream(row: StreamState): AuditStream {
  return {
    kind: row.kind,
    target: row.target,
    caPem: row.ca_pem,
    createdAt: row.created_at,
    lastSentAt: row.last_sent_at,
    lastError: row.last_error,
    waiting: row.waiting,
    oldestAt: row.oldest_at,
    lost: row.lost,
  };
}
