import { addMs, DAY } from "../../../lib/clock.ts";
import { type ChannelType, postJson, shorten } from "../channel-type.ts";
import type { Notice } from "../notice.ts";

/** The time for which an unresolved alert fires; Alertmanager would end it after five minutes. */
const FIRES_MS = 7 * DAY;
const MOST_VALUE = 4_000;

/** The labels identify the alert, so that they are the same when it is resolved. */
function labels({ key, severity, device, kind }: Notice): Record<string, string> {
  const alertname = kind === "confirmation" ? "MusterConfirmation" : kind === "test" ? "MusterTest" : "MusterAnomaly";
  return { alertname, severity, anomaly: key, ...(device && { device: device.id }) };
}

function alert(notice: Notice): object {
  const { title, text, facts, link, since, resolvedAt, kind } = notice;
  const ends = kind === "opened" ? addMs(new Date(since), FIRES_MS).toISOString() : resolvedAt;
  const description = [text, ...facts.map(([name, value]) => `${name}: ${value}`)].filter(Boolean).join("\n");
  return {
    labels: labels(notice),
    annotations: {
      summary: shorten(title, MOST_VALUE),
      description: shorten(kind === "confirmation" ? `${description}\n${link.url}` : description, MOST_VALUE),
    },
    startsAt: since,
    ...(ends && { endsAt: ends }),
    generatorURL: link.url,
  };
}

/** Prometheus Alertmanager: the API v2 (`POST /api/v2/alerts`). Its silences and routes apply. */
export const alertmanager: ChannelType = {
  label: "Alertmanager",
  fields: [
    { name: "server", kind: "url", required: true, secret: false, example: "https://alertmanager.example" },
    { name: "authorization", kind: "line", required: false, secret: true, example: "Bearer …" },
  ],
  request: (notice, { server, authorization }) =>
    postJson(`${server!.replace(/\/+$/, "")}/api/v2/alerts`, [alert(notice)], authorization ? { authorization } : {}),
};
