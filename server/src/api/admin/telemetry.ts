import { inApp } from "../in-app.ts";
import * as specified from "../v1/telemetry/telemetry.ts";

const tag = "Devices";

export const listLatest = inApp(specified.listLatest, { tag });

export const readSeries = inApp(specified.readSeries, {
  tag,
  summary: "Read the points of a chart",
  description: "The numbers of one metric in [from, to), in buckets. Only buckets that contain numbers are listed.",
});

export const listReadings = inApp(specified.listReadings, {
  tag,
  description: "The readings of one metric in [from, to), newest first.",
});

export const listRejected = inApp(specified.listRejected, { tag });
