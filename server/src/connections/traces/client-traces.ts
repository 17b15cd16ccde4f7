import { adminUseCase, boundedToGroupsOf, type PreparedChange, useCase } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { lockDevice } from "../../devices/devices.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import { MusterError } from "../../lib/errors.ts";
import { isDeviceId } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { ConnectionsDeps } from "../deps.ts";
import { lockMqttClient } from "../mqtt-client-store.ts";
import type { TraceRecorder } from "./trace-recorder.ts";
import { countTraces, findTrace, listTraceEntries, lockTraces, replaceTrace, type TraceKind } from "./trace-store.ts";

/** The duration of a trace. */
export const TRACE_MS = 5 * MINUTE;

/** Something that a traced client sent, received or was refused. Payloads are not part of it. */
export interface TraceEntry {
  id: string;
  at: Date;
  kind: TraceKind;
  /** The topic of a message, or the filter of a subscription. */
  topic: string | null;
  /** The length of the payload. */
  bytes: number | null;
  /** The client's address, why a session ended, why a message is not whole, or how many entries are omitted. */
  detail: string | null;
}

export interface ClientTrace {
  /** Both are `null` for a client that was not traced lately. */
  startedAt: Date | null;
  endsAt: Date | null;
  /** The newest entries, the newest first. */
  entries: TraceEntry[];
}

/**
 * Traces what a device or MQTT client sends and receives for five minutes, in whichever process it connects. The
 * client's former trace is deleted.
 *
 * @param clientId of an MQTT client, or the id of a device
 * @throws {MusterError} not_found; quota_exceeded (too many of the tenant's clients are traced)
 */
export const startTrace = adminUseCase(
  { role: "admin" },
  "client.trace",
  async (
    deps: ConnectionsDeps & { traces: Pick<TraceRecorder, "learn"> },
    caller,
    clientId: string,
  ): Promise<PreparedChange<ClientTrace>> => {
    const { tenantId } = caller;
    const now = deps.clock.now();
    const endsAt = addMs(now, TRACE_MS);
    return {
      change: async (tx) => {
        const isKnown =
          (await isOwnDevice(tx, tenantId, clientId, boundedToGroupsOf(caller))) ||
          (await lockMqttClient(tx, tenantId, clientId)) !== undefined;
        if (!isKnown) throw notFound("client");
        await lockTraces(tx, tenantId);
        const most = deps.limits.tracesOfTenant;
        if ((await countTraces(tx, tenantId, clientId, now)) >= most) throw tooManyTraces(most);
        const id = deps.ids.uuid(now);
        await replaceTrace(tx, { id, tenant_id: tenantId, client_id: clientId, started_at: now, ends_at: endsAt });
        return { target: clientId, after: { endsAt }, result: { startedAt: now, endsAt, entries: [] } };
      },
      committed: () => deps.traces.learn({ tenantId, clientId }),
    };
  },
);

async function isOwnDevice(tx: Tx, tenantId: string, id: string, viewer: string | undefined): Promise<boolean> {
  return isDeviceId(id) && (await lockDevice(tx, tenantId, id, viewer)) !== undefined;
}

function tooManyTraces(most: number): MusterError<"quota_exceeded"> {
  return new MusterError("quota_exceeded", `${most} clients are traced already, as many as may. Wait five minutes.`, {
    extra: { quota: "tracesOfTenant", limit: most },
  });
}

/** Returns the last trace of a device or MQTT client, for an hour after its end. */
export const readTrace = useCase(
  { role: "admin" },
  async ({ database: { db }, limits }: ConnectionsDeps, caller, clientId: string): Promise<ClientTrace> => {
    const trace = await findTrace(db, caller.tenantId, clientId);
    if (trace === undefined) return { startedAt: null, endsAt: null, entries: [] };
    const entries = await listTraceEntries(db, trace.id, limits.traceEntriesShown);
    return {
      startedAt: trace.started_at,
      endsAt: trace.ends_at,
      entries: entries.map(({ seq, at, kind, topic, bytes, detail }) => ({ id: seq, at, kind, topic, bytes, detail })),
    };
  },
);
