import { inApp } from "../../in-app.ts";
import * as specified from "../../v1/paging/anomaly-paging.ts";

export const getAnomalyPaging = inApp(specified.getAnomalyPaging);
export const snoozeAnomaly = inApp(specified.snoozeAnomaly);
export const muteRule = inApp(specified.muteRule);
export const getOutage = inApp(specified.getOutage);
