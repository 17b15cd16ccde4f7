import { type AccessRule, type Caller, isStanding, requireMay, useCase } from "../../access/access.ts";
import { reserveIdempotencyKey } from "../../audit/audit.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type DeviceChange, deviceUseCases } from "../../devices/devices.ts";
import { isMusterError } from "../../lib/errors.ts";
import { records } from "../../lib/limits/records.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { confirmDrops } from "../confirm-drops.ts";
import { deleteDevice } from "../delete-device.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { revokeDeviceCertificates } from "../revocation/revoke-of-device.ts";
import { oneAtATime } from "./one-at-a-time.ts";

export type BulkAct = "change" | "revoke_certificates" | "delete";

export interface BulkChange {
  ids: readonly string[];
  act: BulkAct;
  /** The changed fields; present only with `change`. */
  change?: DeviceChange | undefined;
}

/** The outcome for one device. */
export interface DeviceOutcome {
  /** `not_tried`: the time limit was reached, or the user was deactivated or got another role during the request. */
  outcome: "done" | "refused" | "not_tried";
  /** The code and the message of the refusal. */
  error: string | null;
  message: string | null;
}

/** The time limit: a client that waits longer for a response is disconnected (`httpsIdleSeconds`). */
const MOST_MS = 20_000;

const ADMIN: AccessRule = { role: "admin" };

/**
 * Applies the same act to many devices, one after the other. Each has its own transaction with its audit entry, so a
 * refused device does not affect the others. An `Idempotency-Key` is reserved first, so that a retry after a crash does
 * nothing twice.
 *
 * @returns the outcome of each device, in the order of `ids`
 * @throws MusterError insufficient_role, invalid_request, rate_limited: nothing has changed
 */
export const changeDevices = useCase(
  { role: "operator" },
  async (deps: EnrollmentDeps, caller, bulk: BulkChange): Promise<DeviceOutcome[]> => {
    checkShape(bulk);
    requireMayAct(caller, bulk);
    return await oneAtATime(deps.database.db, caller.tenantId, async () => {
      await reserve(deps, caller, bulk.ids[0]!);
      const { request: _, ...each } = caller;
      return await runEach(deps, each, bulk);
    });
  },
);

function checkShape({ ids, act, change }: BulkChange): void {
  const most = records.devicesOfChange.value;
  if (ids.length === 0 || ids.length > most) throw invalidRequest(`ids must have 1 to ${most} devices`, "ids");
  if ((act === "change") !== (change !== undefined))
    throw invalidRequest("`change` is required with the act `change` and not allowed with others", "change");
}

function requireMayAct(caller: Caller, { act, change = {} }: BulkChange): void {
  if (act === "delete") requireMay(caller, ADMIN, "deleting devices");
  if (act === "revoke_certificates") requireMay(caller, ADMIN, "revoking certificates");
  if (change.addGroupIds ?? change.removeGroupIds) requireMay(caller, ADMIN, "changing a device's groups");
  if (change.deviceTypeId !== undefined) requireMay(caller, ADMIN, "changing a device's type");
}

async function reserve({ database, clock }: EnrollmentDeps, caller: Caller, id: string): Promise<void> {
  if (caller.request?.idempotency === undefined) return;
  await inTransaction(database.db, (tx) => reserveIdempotencyKey(tx, caller, { id, at: clock.now() }));
}

async function runEach(deps: EnrollmentDeps, caller: Caller, bulk: BulkChange): Promise<DeviceOutcome[]> {
  const until = deps.clock.monotonicMs() + MOST_MS;
  // Sessions close while the next devices are processed; the wait for all of them comes at the end.
  const drops: string[] = [];
  const awaitDrops = async (ofOne: readonly string[]) => {
    drops.push(...ofOne);
    return true;
  };
  const deferred = { ...deps, connections: { awaitDrops } };
  const outcomes: DeviceOutcome[] = [];
  for (const id of bulk.ids) {
    const goesOn = deps.clock.monotonicMs() < until && (await isStanding(deps.database.db, caller));
    outcomes.push(goesOn ? await runOne(deferred, caller, bulk, id) : NOT_TRIED);
  }
  await confirmDrops(deps, drops);
  return outcomes;
}

const NOT_TRIED: DeviceOutcome = { outcome: "not_tried", error: null, message: null };

async function runOne(deps: EnrollmentDeps, caller: Caller, bulk: BulkChange, id: string): Promise<DeviceOutcome> {
  try {
    if (bulk.act === "delete") await deleteDevice(deps, caller, id);
    else if (bulk.act === "revoke_certificates") await revokeDeviceCertificates(deps, caller, id);
    else await deviceUseCases.changeDevice(deps, caller, id, bulk.change!);
    return { outcome: "done", error: null, message: null };
  } catch (error) {
    if (isMusterError(error)) return { outcome: "refused", error: error.code, message: error.message };
    deps.logger.error({ device: id, err: (error as Error).message }, "could not change a device of a bulk change");
    return { outcome: "refused", error: "internal_error", message: "Internal error. The server log has details." };
  }
}
