import { isDeepStrictEqual } from "node:util";
import { type Caller, isStanding, requireMay, useCase } from "../../access/access.ts";
import { reserveIdempotencyKey } from "../../audit/audit.ts";
import { inTransaction } from "../../db/transaction.ts";
import { checkNewDevice, type DeviceRecord, deviceUseCases } from "../../devices/devices.ts";
import { isMusterError } from "../../lib/errors.ts";
import { records } from "../../lib/limits/records.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { type ImportNames, readNames, resolveRow } from "./import-names.ts";
import type { ImportRow } from "./import-row.ts";
import { findIdsByFingerprint } from "./import-store.ts";
import { oneAtATime } from "./one-at-a-time.ts";

export interface ImportOutcome {
  /** `not_tried`: the time limit was reached, or the caller lost the rights during the request. */
  outcome: "created" | "changed" | "unchanged" | "refused" | "not_tried";
  /** The device that the row found; `null` for a new or an unknown one. */
  id: string | null;
  /** The name before the change; `null` for a new device. */
  nameBefore: string | null;
  error: string | null;
  message: string | null;
}

/** The time limit, as of other bulk changes: a client that waits longer for a response is disconnected. */
const MOST_MS = 20_000;

/**
 * Creates or changes a device per row, one after the other. Each has its own transaction and audit entry, so a refused
 * row does not affect the others, and repeating an import changes nothing. `preview` checks the rows and writes
 * nothing.
 *
 * @returns the outcome of each row, in their order
 * @throws MusterError invalid_request, rate_limited: nothing has changed
 */
export const importDevices = useCase(
  { role: "operator" },
  async (
    deps: EnrollmentDeps,
    caller,
    rows: readonly ImportRow[],
    { preview }: { preview: boolean },
  ): Promise<ImportOutcome[]> => {
    const most = records.devicesOfChange.value;
    if (rows.length === 0 || rows.length > most) throw invalidRequest(`rows must have 1 to ${most} devices`, "rows");
    return await oneAtATime(deps.database.db, caller.tenantId, async () => {
      const { request, ...each } = caller;
      if (!preview && request !== undefined)
        await inTransaction(deps.database.db, (tx) =>
          reserveIdempotencyKey(tx, caller, { id: rows[0]?.id ?? "import", at: deps.clock.now() }),
        );
      return await importRows(deps, each, rows, preview);
    });
  },
);

async function importRows(
  deps: EnrollmentDeps,
  caller: Caller,
  rows: readonly ImportRow[],
  preview: boolean,
): Promise<ImportOutcome[]> {
  const until = deps.clock.monotonicMs() + MOST_MS;
  const names = await readNames(deps, caller.tenantId);
  const fingerprints = rows.flatMap(({ id, hardwareFingerprint }) =>
    id === undefined && hardwareFingerprint !== undefined ? [hardwareFingerprint] : [],
  );
  const ids = await findIdsByFingerprint(deps.database.db, caller.tenantId, fingerprints);
  const outcomes: ImportOutcome[] = [];
  for (const row of rows) {
    const goesOn = deps.clock.monotonicMs() < until && (await isStanding(deps.database.db, caller));
    const id = row.id ?? (row.hardwareFingerprint && ids.get(row.hardwareFingerprint.trim().toLowerCase()));
    outcomes.push(goesOn ? await importOne(deps, caller, { row, id, names, preview }) : NOT_TRIED);
  }
  return outcomes;
}

const NOT_TRIED: ImportOutcome = { outcome: "not_tried", id: null, nameBefore: null, error: null, message: null };

interface Wanted {
  row: ImportRow;
  id: string | undefined;
  names: ImportNames;
  preview: boolean;
}

async function importOne(deps: EnrollmentDeps, caller: Caller, wanted: Wanted): Promise<ImportOutcome> {
  try {
    return await createOrChange(deps, caller, wanted);
  } catch (error) {
    const refused = { outcome: "refused", id: null, nameBefore: null } as const;
    if (isMusterError(error)) return { ...refused, error: error.code, message: error.message };
    deps.logger.error({ device: wanted.id, err: (error as Error).message }, "could not import a device");
    return { ...refused, error: "internal_error", message: "Internal error. The server log has details." };
  }
}

/** @throws MusterError as `createDevice` and `changeDevice` */
async function createOrChange(
  deps: EnrollmentDeps,
  caller: Caller,
  { row, id, names, preview }: Wanted,
): Promise<ImportOutcome> {
  if (id === undefined)
    throw invalidRequest(
      row.hardwareFingerprint === undefined
        ? "a row needs the id or the hardware fingerprint of a device"
        : "no device has this hardware fingerprint: it enrolls with a claim, or give an id to add it",
    );
  const { name, description, metadata } = row;
  const { deviceTypeId, groupIds } = resolveRow(row, names);
  const before = await deviceUseCases.getDevice(deps, caller, id).catch(unlessMissing);
  const same = { id: before?.id ?? null, error: null, message: null, nameBefore: before?.name ?? null };
  if (before === undefined) {
    const input = { id, name: name ?? "", description, deviceTypeId, groupIds, metadata };
    if (preview) {
      requireMay(caller, { role: "admin" }, "adding devices");
      checkNewDevice(input);
    } else await deviceUseCases.createDevice(deps, caller, input);
    return { ...same, outcome: "created" };
  }
  const change = { name, description, deviceTypeId, addGroupIds: groupIds, addMetadata: metadata };
  const apply = (database: EnrollmentDeps["database"]) =>
    deviceUseCases.changeDevice({ ...deps, database }, caller, id, change);
  const after = preview ? await rolledBack(deps.database, apply) : await apply(deps.database);
  return { ...same, outcome: isSame(before, after) ? "unchanged" : "changed" };
}

/** Returns the result of work whose transaction is rolled back. */
async function rolledBack<Result>(
  database: EnrollmentDeps["database"],
  work: (database: EnrollmentDeps["database"]) => Promise<Result>,
): Promise<Result> {
  const end = new Error("rolled back");
  let result: { value: Result } | undefined;
  try {
    await inTransaction(database.db, async (tx) => {
      result = { value: await work({ ...database, db: tx }) };
      throw end;
    });
  } catch (error) {
    if (error !== end) throw error;
  }
  return result!.value;
}

function unlessMissing(error: unknown): undefined {
  if (isMusterError(error) && error.code === "not_found") return undefined;
  throw error;
}

function isSame(before: DeviceRecord, after: DeviceRecord): boolean {
  const edited = ({ name, description, deviceTypeId, groupIds, metadata }: DeviceRecord) => [
    ...[name, description, deviceTypeId, metadata],
    [...groupIds].sort(),
  ];
  return isDeepStrictEqual(edited(before), edited(after));
}
