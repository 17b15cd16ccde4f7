import { linkOf } from "../channels/confirmation-token.ts";
import type { NotificationsDeps } from "../deps.ts";
import { anomalyFacts, dutyTimes, headline, localTime, oneLine } from "../mail/mail-text.ts";
import type { ConfirmationMessage, Message } from "../message.ts";

/** A message as channel types render it. Names and values come from users and devices: every type escapes them. */
export interface Notice {
  kind: "opened" | "resolved" | "test" | "confirmation" | "duty";
  title: string;
  /** Sentences below the title. */
  text: string;
  facts: readonly (readonly [name: string, value: string])[];
  /** The page of the app that the button opens. */
  link: { label: string; url: string };
  severity: "critical" | "major" | "minor" | "warning" | "info";
  /** One key for all notices of an anomaly, so that a paging service folds them into one incident. */
  key: string;
  /** When the anomaly opened, or the message was written; ISO 8601. */
  since: string;
  resolvedAt: string | null;
  device: { id: string; name: string } | undefined;
  group: string;
}

/** Converts a message to what a chat or paging service shows. */
export function noticeOf(
  deps: Pick<NotificationsDeps, "baseUrl" | "webhookKeys">,
  id: string,
  message: Message,
): Notice {
  if (message.type === "channel.confirmation") return confirmation(deps, id, message);
  const base = deps.baseUrl();
  const plain = { text: "", facts: [], severity: "info", key: id, since: message.at, resolvedAt: null } as const;
  if ("anomaly" in message) {
    const { anomaly, device, group, type } = message;
    return {
      kind: type === "anomaly.resolved" ? "resolved" : "opened",
      title: oneLine(headline(message)),
      text: "",
      facts: anomalyFacts(message).map(([name, value]) => [name, oneLine(value)]),
      link: { label: "Open the anomaly", url: `${base}/anomalies/${anomaly.id}` },
      severity: anomaly.severity as Notice["severity"],
      key: anomaly.id,
      since: anomaly.openedAt,
      resolvedAt: anomaly.resolvedAt,
      device: { id: device.id, name: oneLine(device.name) },
      group: oneLine(group.name),
    };
  }
  const group = "group" in message ? oneLine(message.group?.name ?? "") : "";
  const title = "items" in message ? `${message.total} messages` : titleOf(message);
  const link = { label: "Open Muster", url: base };
  const isDuty = "duty" in message;
  const asked = `No anomaly has opened. Requested at ${localTime(message.at, message.timeZone)}.`;
  const text = isDuty ? dutyTimes(message) : asked;
  return { ...plain, kind: isDuty ? "duty" : "test", title: oneLine(title), text, link, device: undefined, group };
}

function titleOf(message: Exclude<Message, { type: "channel.confirmation" } | { type: "digest" }>): string {
  return message.type === "webhook.test" ? `TEST: ${message.group.name}` : headline(message);
}

function confirmation(
  deps: Pick<NotificationsDeps, "baseUrl" | "webhookKeys">,
  id: string,
  message: ConfirmationMessage,
): Notice {
  const { at, expiresAt, group, tenant } = message;
  return {
    kind: "confirmation",
    title: "Did this message arrive?",
    text: oneLine(
      `"${tenant.name}" wants to send notifications here. Confirm it until ${localTime(expiresAt, "UTC")}; ` +
        "without it nothing is sent.",
    ),
    facts: [],
    link: { label: "It arrived", url: linkOf(deps, message).url },
    severity: "info",
    key: id,
    since: at,
    resolvedAt: null,
    device: undefined,
    group: oneLine(group?.name ?? ""),
  };
}
