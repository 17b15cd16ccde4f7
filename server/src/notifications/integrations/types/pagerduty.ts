import { type ChannelType, postJson, shorten } from "../channel-type.ts";
import type { Notice } from "../notice.ts";

const SEVERITY = { critical: "critical", major: "error", minor: "warning", warning: "warning", info: "info" } as const;
const MOST_SUMMARY = 1_024;

function details({ text, facts }: Notice): object {
  return { ...(text && { text }), ...Object.fromEntries(facts) };
}

/** PagerDuty: the Events API v2. An acknowledgement there is not read back. */
export const pagerduty: ChannelType = {
  label: "PagerDuty",
  fields: [
    { name: "routingKey", kind: "line", required: true, secret: true },
    { name: "server", kind: "url", required: false, secret: false, fallback: "https://events.pagerduty.com" },
  ],
  validate: ({ routingKey }) =>
    /^[A-Za-z0-9]{32}$/.test(routingKey!) ? undefined : { field: "routingKey", must: "have 32 letters and digits" },
  request(notice, { routingKey, server }) {
    const event = { routing_key: routingKey, dedup_key: notice.key };
    const url = `${server!.replace(/\/+$/, "")}/v2/enqueue`;
    if (notice.kind === "resolved") return postJson(url, { ...event, event_action: "resolve" });
    return postJson(url, {
      ...event,
      event_action: "trigger",
      client: "Muster",
      client_url: notice.link.url,
      links: [{ href: notice.link.url, text: notice.link.label }],
      payload: {
        summary: shorten(notice.title, MOST_SUMMARY),
        source: notice.device?.id ?? "muster",
        severity: SEVERITY[notice.severity],
        timestamp: notice.since,
        ...(notice.group && { group: notice.group }),
        custom_details: details(notice),
      },
    });
  },
};
