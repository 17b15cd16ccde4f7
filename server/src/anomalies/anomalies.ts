import { type Bound, bind } from "../access/access.ts";
import { acknowledgeAnomaly } from "./acknowledge-anomaly.ts";
import { acknowledgeAnomalies } from "./acknowledge-many.ts";
import type { AnomaliesDeps } from "./deps.ts";
import { type MeasureDeps, measure } from "./measure.ts";
import { getAnomaly, listAnomalies } from "./view-anomalies.ts";

export { ANOMALY_ORDERS } from "./anomaly-list-store.ts";
export { ANOMALY_CAUSES, ANOMALY_STATUSES, type Anomaly, commentOf } from "./anomaly-record.ts";
export { shareLockAnomalies } from "./lock-store.ts";
export { type Range, type RuleValue, SEVERITIES, type Severity } from "./severity.ts";
export { linkTickets, lockAnomalies, type TicketLink } from "./ticket-link-store.ts";
export {
  insertResolvedAnomalies,
  openAnomalies,
  openLostRenewals,
  openSilences,
  resolveAnomalies,
  resolveLostRenewals,
  resolveSilences,
} from "./transition-store.ts";

/** Anomalies from opening to resolution. `measure` sets the gauge of unresolved ones. */
export const anomalyUseCases = { listAnomalies, getAnomaly, acknowledgeAnomaly, acknowledgeAnomalies, measure };
export type Anomalies = Bound<typeof anomalyUseCases>;
export const createAnomalies = (deps: AnomaliesDeps & MeasureDeps): Anomalies => bind(deps, anomalyUseCases);
