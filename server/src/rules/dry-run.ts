import { boundedToGroupsOf, type Caller, requireScope } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { type Ids, isDeviceId, isUuid } from "../lib/ids.ts";
import { invalidRequest, notFound } from "../lib/request-errors.ts";
import { type DryRunDevice, listDryRunDevices } from "./dry-run-store.ts";
import { findThreshold } from "./pack-store.ts";
import { type Replayed, type ReplayLimits, replayDevice } from "./replay.ts";
import { checkRule, type NewRule, type Rule } from "./rule.ts";

export interface DryRunDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  ids: Ids;
}

/** Rules as they would be put into a pack, or a pack that is there; on one device, or on all of a type that the caller sees. */
export interface DryRunRequest {
  rules?: readonly NewRule[] | undefined;
  thresholdId?: string | undefined;
  deviceId?: string | undefined;
  deviceTypeId?: string | undefined;
  /** Readings at this instant or later. */
  from: Date;
  /** Readings before this instant. */
  to: Date;
}

/** Anomalies oldest first; `cut` says that there was more than one run looks at. */
export interface DryRun extends Replayed {
  /** How many were looked at. */
  devices: number;
}

const LIMITS = { devices: 1_000, readings: 2_000_000, anomalies: 1_000 };

/**
 * What a pack would have found in stored telemetry: the evaluator of the ingest path over the readings of a period in the
 * order of their times, each rule well at `from`. Nothing is kept of it.
 *
 * @throws MusterError insufficient_scope; not_found (pack, device); invalid_request with the place in `detail`
 */
export async function dryRun(
  deps: DryRunDeps,
  caller: Caller,
  request: DryRunRequest,
  limits: ReplayLimits & { devices: number } = LIMITS,
): Promise<DryRun> {
  requireScope(caller, "thresholds:read");
  requireScope(caller, "devices:read");
  if (!(request.from < request.to)) throw invalidRequest("from must be before to", "from");
  const rules = await rulesOf(deps, caller, request);
  const devices = await devicesOf(deps, caller, request, limits.devices + 1);
  const run: DryRun = { anomalies: [], devices: 0, readings: 0, cut: false };
  for (const device of devices) {
    run.cut ||= run.devices === limits.devices;
    if (run.cut) break;
    run.devices++;
    await replayDevice(deps.database, device, rules, request, run, limits);
  }
  run.anomalies.sort((a, b) => a.openedAt.getTime() - b.openedAt.getTime());
  return run;
}

async function rulesOf(deps: DryRunDeps, caller: Caller, { rules, thresholdId }: DryRunRequest): Promise<Rule[]> {
  if ((rules === undefined) === (thresholdId === undefined)) {
    throw invalidRequest("either rules or thresholdId", "thresholdId");
  }
  if (rules) return rules.map((rule, at) => checkRule(rule, deps.ids.uuid(deps.clock.now()), `rules.${at}`));
  const pack = isUuid(thresholdId!) ? await findThreshold(deps.database.db, caller.tenantId, thresholdId!) : undefined;
  if (!pack) throw notFound("threshold pack");
  return pack.rules;
}

async function devicesOf(
  { database }: DryRunDeps,
  caller: Caller,
  { deviceId, deviceTypeId }: DryRunRequest,
  limit: number,
): Promise<DryRunDevice[]> {
  if ((deviceId === undefined) === (deviceTypeId === undefined)) {
    throw invalidRequest(
      "a dry run looks at one device or at the devices of one type: give one of the two",
      "deviceId",
    );
  }
  if (deviceId !== undefined && !isDeviceId(deviceId)) throw notFound("device");
  if (deviceTypeId !== undefined && !isUuid(deviceTypeId)) return [];
  const which = { deviceId, deviceTypeId };
  const devices = await listDryRunDevices(database.db, caller.tenantId, which, boundedToGroupsOf(caller), limit);
  if (deviceId !== undefined && devices.length === 0) throw notFound("device");
  return devices;
}
