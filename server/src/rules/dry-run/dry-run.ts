import { boundedToGroupsOf, type Caller, useCase } from "../../access/access.ts";
import { SECOND } from "../../lib/clock.ts";
import { isDeviceId, isUuid } from "../../lib/ids.ts";
import { records } from "../../lib/limits/records.ts";
import { TenantTurns } from "../../lib/limits/tenant-turns.ts";
import { invalidRequest, notFound, rateLimited } from "../../lib/request-errors.ts";
import type { RulesDeps } from "../deps.ts";
import { findThreshold } from "../packs/pack-store.ts";
import { checkRule, type NewRule, type Rule } from "../rule.ts";
import { type DryRunDevice, listDryRunDevices } from "./dry-run-store.ts";
import { type ReplayLimits, type ReplayResult, replayDevice } from "./replay.ts";

/** The rules of a new or an existing pack, and either one device or all devices of a type that the caller may see. */
export interface DryRunRequest {
  rules?: readonly NewRule[] | undefined;
  thresholdId?: string | undefined;
  deviceId?: string | undefined;
  deviceTypeId?: string | undefined;
  /** The inclusive start of the readings. */
  from: Date;
  /** The exclusive end of the readings. */
  to: Date;
}

/** The anomalies, oldest first. `cut` means that a limit was reached, so there may be more. */
export interface DryRun extends ReplayResult {
  /** The number of evaluated devices. */
  devices: number;
}

const MOST_DEVICES = records.dryRunDevices.value;
/** A refused caller may retry when a previous run may have ended. */
const RETRY_AFTER_SECONDS = 5;

const runs = new TenantTurns();

/**
 * Reports which anomalies a pack would have opened over stored telemetry. It applies the evaluator of ingest to the
 * readings of a period in time order, with no rule in breach at `from`. Nothing is stored. A tenant's runs read one at
 * a time, so that they occupy one connection.
 *
 * @throws MusterError not_found (pack, device); invalid_request with the place in `detail`; rate_limited if too many
 *   runs are waiting
 */
export const dryRun = useCase(
  { scope: "thresholds:write", role: "operator" },
  async (deps: RulesDeps, caller, request: DryRunRequest): Promise<DryRun> => {
    if (!(request.from < request.to)) throw invalidRequest("from must be before to", "from");
    const { db } = deps.database;
    const rules = await rulesOf(deps, caller, request);
    if (runs.count(db, caller.tenantId) > records.waitingDryRuns.value)
      throw rateLimited("Too many dry runs of the tenant are waiting.", RETRY_AFTER_SECONDS);
    return await runs.take(db, caller.tenantId, async () =>
      replay(deps, await devicesOf(deps, caller, request), rules, request),
    );
  },
);

async function replay(
  { database, clock, limits }: RulesDeps,
  devices: readonly DryRunDevice[],
  rules: readonly Rule[],
  period: Pick<DryRunRequest, "from" | "to">,
): Promise<DryRun> {
  const until = performance.now() + limits.dryRunSeconds * SECOND;
  const most: ReplayLimits = {
    readings: records.dryRunReadings.value,
    anomalies: records.dryRunAnomalies.value,
    until,
  };
  const run: DryRun = { anomalies: [], devices: 0, readings: 0, cut: false };
  for (const device of devices) {
    run.cut ||= run.devices === MOST_DEVICES || performance.now() >= until;
    if (run.cut) break;
    run.devices++;
    await replayDevice(database, device, rules, { ...period, now: clock.now() }, run, most);
  }
  run.anomalies.sort((a, b) => a.openedAt.getTime() - b.openedAt.getTime());
  return run;
}

async function rulesOf(deps: RulesDeps, caller: Caller, { rules, thresholdId }: DryRunRequest): Promise<Rule[]> {
  if ((rules === undefined) === (thresholdId === undefined)) {
    throw invalidRequest("give either rules or thresholdId", "thresholdId");
  }
  if (rules) return rules.map((rule, at) => checkRule(rule, deps.ids.uuid(deps.clock.now()), `rules.${at}`));
  const pack = isUuid(thresholdId!) ? await findThreshold(deps.database.db, caller.tenantId, thresholdId!) : undefined;
  if (!pack) throw notFound("threshold pack");
  return pack.rules;
}

/** Lists one device more than the limit, to detect whether there are more. */
async function devicesOf(
  { database }: RulesDeps,
  caller: Caller,
  { deviceId, deviceTypeId }: DryRunRequest,
): Promise<DryRunDevice[]> {
  if ((deviceId === undefined) === (deviceTypeId === undefined))
    throw invalidRequest("a dry run takes either a device or a device type", "deviceId");
  if (deviceId !== undefined && !isDeviceId(deviceId)) throw notFound("device");
  if (deviceTypeId !== undefined && !isUuid(deviceTypeId)) return [];
  const devices = await listDryRunDevices(database.db, {
    tenantId: caller.tenantId,
    deviceId: deviceId ?? null,
    deviceTypeId: deviceTypeId ?? null,
    viewer: boundedToGroupsOf(caller) ?? null,
    limit: MOST_DEVICES + 1,
  });
  if (deviceId !== undefined && devices.length === 0) throw notFound("device");
  return devices;
}
