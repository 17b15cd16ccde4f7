import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { isDeviceId } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { RulesDeps } from "../deps.ts";
import { ruleFor } from "../rule.ts";
import type { ThresholdPack } from "./packs.ts";
import { listWatchingPacks } from "./watching-pack-store.ts";

export type WatchingPack = Pick<ThresholdPack, "id" | "name" | "rules">;

/**
 * Lists the packs whose rules are evaluated on a device: enabled, and assigned to it or to its type. A limit in
 * metadata has the device's value.
 *
 * @throws MusterError not_found
 */
export const listWatchingThresholds = useCase(
  { role: "viewer" },
  async ({ database }: Pick<RulesDeps, "database">, caller, deviceId: string): Promise<WatchingPack[]> => {
    const { tenantId } = caller;
    const viewer = boundedToGroupsOf(caller) ?? null;
    const packs = isDeviceId(deviceId)
      ? await listWatchingPacks(database.db, { tenantId, deviceId, viewer })
      : undefined;
    if (packs === undefined) throw notFound("device");
    return packs.map(({ id, name, rules, metadata }) => ({
      id,
      name,
      rules: rules.map((rule) => ruleFor(rule, metadata)),
    }));
  },
);
