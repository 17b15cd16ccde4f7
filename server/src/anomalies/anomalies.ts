import type { Caller } from "../access/access.ts";
import type { Page } from "../lib/page.ts";
import { acknowledgeAnomaly } from "./acknowledge-anomaly.ts";
import type { Anomaly } from "./anomaly-record.ts";
import type { AnomaliesDeps } from "./deps.ts";
import { type MeasureDeps, measure } from "./measure.ts";
import { type AnomalyQuery, getAnomaly, listAnomalies } from "./view-anomalies.ts";

export { ANOMALY_STATUSES, type Anomaly, type AnomalyStatus, toAnomaly } from "./anomaly-record.ts";
export type { AnomalyRow } from "./anomaly-store.ts";
export { type Range, type RuleValue, SEVERITIES, type Severity } from "./severity.ts";
export {
  endSilence,
  holdJudged,
  type ObservedRow,
  openAnomalyRows,
  passedAnomalyRows,
  resolveAnomalyRows,
  STILL_JUDGED,
  tellJudges,
  type Watch,
} from "./transition-store.ts";

/** Anomalies from opening to resolution. */
export interface Anomalies {
  listAnomalies(caller: Caller, query: AnomalyQuery): Promise<Page<Anomaly>>;
  getAnomaly(caller: Caller, id: string): Promise<Anomaly>;
  acknowledgeAnomaly(caller: Caller, id: string, comment?: string): Promise<Anomaly>;
  /** Sets the gauge of unresolved anomalies. */
  measure(): Promise<void>;
}

export function createAnomalies(deps: AnomaliesDeps & MeasureDeps): Anomalies {
  return {
    listAnomalies: (caller, query) => listAnomalies(deps, caller, query),
    getAnomaly: (caller, id) => getAnomaly(deps, caller, id),
    acknowledgeAnomaly: (caller, id, comment) => acknowledgeAnomaly(deps, caller, id, comment),
    measure: () => measure(deps),
  };
}
