import type { ChangedRule, DryRun } from "../../../api/monitoring/thresholds.ts";

/** One device, or all devices of a type that the user sees. */
export type TriedOn = { deviceId: string } | { deviceTypeId: string; name: string };

/** What was asked, and what came of it. */
export interface Tried {
  rules: readonly ChangedRule[];
  on: TriedOn;
  period: string;
  from: number;
  to: number;
  run: DryRun;
}
