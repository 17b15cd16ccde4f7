import { nameInMail } from "../../lib/mail/name-in-mail.ts";
import { wallTime } from "../../lib/time-zone.ts";
import type {
  AnomalyMessage,
  CertificateMessage,
  ConfirmationMessage,
  DigestMessage,
  DutyMessage,
  GroupTestMessage,
  HandOverMessage,
  NamedDevice,
  SingleMessage,
  SuppressedMessage,
  UserTestMessage,
} from "../message.ts";

export interface MailText {
  subject: string;
  text: string;
}

const MAX_SUBJECT_CHARS = 200;

/**
 * Formats a message as plain text. Names and values come from users and devices, and none of them can start a new line
 * or header.
 */
export function mailText(message: SingleMessage | DigestMessage, baseUrl: string): MailText {
  return toText("items" in message ? digest(message, baseUrl) : single(message, baseUrl));
}

/**
 * Formats a confirmation mail. The address may belong to a person who has nothing to do with the tenant. So its name is
 * the only text of the tenant's in the mail, and is written so that no mail program makes a link of it. The user's
 * address is left out, since an administrator of the tenant chose it.
 */
export function confirmationText({ address, expiresAt, tenant, user }: ConfirmationMessage, url: string): MailText {
  const lines = [
    user
      ? `A user of "${nameInMail(tenant.name)}" wants to get its notifications at ${oneLine(address)}.`
      : `"${nameInMail(tenant.name)}" wants to send notifications to ${oneLine(address)}.`,
    "",
    "To receive them, open this page and confirm:",
    "",
    url,
    "",
    `The link is valid until ${localTime(expiresAt, "UTC")}.`,
    "If you do not expect this, do nothing: without your confirmation no notifications are sent.",
  ];
  return toText({ subject: "Confirm this address for notifications", lines });
}

function toText({ subject, lines }: { subject: string; lines: string[] }): MailText {
  return { subject: oneLine(`[Muster] ${subject}`, MAX_SUBJECT_CHARS), text: `${lines.join("\n")}\n` };
}

function single(message: SingleMessage, baseUrl: string) {
  if ("anomaly" in message) return ofAnomaly(message, baseUrl);
  if ("notify" in message) return ofTest(message, baseUrl);
  if ("user" in message) return ofUserTest(message, baseUrl);
  if ("duty" in message) return ofDuty(message, baseUrl);
  if ("handOver" in message) return ofHandOver(message, baseUrl);
  return "certificate" in message ? ofCertificate(message, baseUrl) : ofSuppressed(message, baseUrl);
}

function ofSuppressed(message: SuppressedMessage, baseUrl: string) {
  const { at, limit, suppressed, timeZone } = message;
  const lines = [
    `In the minute from ${localTime(at, timeZone)} anomalies caused more messages than the limit of ${limit} per minute.`,
    `${suppressed} further ones were not sent and are not repeated. Critical pages to people are always sent.`,
    "The anomalies are recorded as usual:",
  ];
  return { subject: headline(message), lines: [...lines, "", `${baseUrl}/anomalies`] };
}

const STEP_SENTENCES: Record<GroupTestMessage["notify"], string> = {
  shift: "you are on duty on one of its shifts now",
  members: "you are one of its members",
  channels: "this address is one of its channels",
};

function ofTest(message: GroupTestMessage, baseUrl: string) {
  const { at, group, notify, timeZone } = message;
  const lines = [
    oneLine(`This is a test of the group ${group.name}: no anomaly has opened.`),
    `You get it because ${STEP_SENTENCES[notify]}. Its pages arrive in the same way.`,
    "",
    `Requested at ${localTime(at, timeZone)}.`,
  ];
  return { subject: headline(message), lines: [...lines, "", `${baseUrl}/groups/${group.id}`] };
}

function ofUserTest(message: UserTestMessage, baseUrl: string) {
  const { at, timeZone, user } = message;
  const lines = [
    `This is a test by ${oneLine(user.email)}: no anomaly has opened.`,
    "Your pages arrive in the same way.",
    "",
    `Requested at ${localTime(at, timeZone)}.`,
  ];
  return { subject: headline(message), lines: [...lines, "", `${baseUrl}/account`] };
}

function ofDuty(message: DutyMessage, baseUrl: string) {
  const { duty } = message;
  const offered = duty.change === "offered" ? ["To take it, agree in the app, under Shifts.", ""] : [];
  const lines = [`${oneLine(headline(message))}.`, dutyTimes(message), "", ...offered, `${baseUrl}/shifts`];
  return { subject: headline(message), lines };
}

function ofHandOver(message: HandOverMessage, baseUrl: string) {
  const { handOver, group, at, timeZone } = message;
  const { from, to } = handOver;
  const line = `At ${localTime(at, timeZone)} the duty in ${oneLine(group.name)} passed from ${namesOf(from)} to ${namesOf(to)}.`;
  return { subject: headline(message), lines: [line, "", `${baseUrl}/shifts?group=${group.id}`] };
}

const MOST_NAMES = 5;

function namesOf(people: readonly { email: string }[]): string {
  const more = people.length > MOST_NAMES ? ` and ${people.length - MOST_NAMES} more` : "";
  return (
    people
      .slice(0, MOST_NAMES)
      .map(({ email }) => email)
      .join(", ") + more
  );
}

/** Returns the start and the end of a duty, in one line. */
export function dutyTimes({ duty, timeZone }: DutyMessage): string {
  return `From ${localTime(duty.startsAt, timeZone)} to ${localTime(duty.endsAt, timeZone)}.`;
}

function dutyHeadline({ duty: { change, user, replaces }, group }: DutyMessage): string {
  const place = group?.name ?? "all groups";
  if (change === "absent") return `${user!.email} is absent: no pages, no duties`;
  if (change === "present") return `The absence of ${user!.email} is ended`;
  if (change === "uncovered") return `Nobody is on duty in ${place} while ${user!.email} is absent`;
  const whose = replaces ? `the duty of ${replaces.email}` : "the duty";
  if (change === "offered") return `${replaces!.email} offers a duty in ${place}`;
  return `${user!.email} ${change === "taken" ? "takes" : "no longer takes"} ${whose} in ${place}`;
}

const LAST_RESORT = "No escalation step of the device's groups reached anybody. You get this because you are an admin.";

function ofAnomaly(message: AnomalyMessage, baseUrl: string) {
  const subject = headline(message);
  const why = message.lastResort ? [LAST_RESORT, ""] : [];
  const link = `${baseUrl}/anomalies/${message.anomaly.id}`;
  return { subject, lines: [oneLine(subject), "", ...why, ...table(anomalyFacts(message)), "", link] };
}

/** Lists what a person needs to know of an anomaly, as names and values. */
export function anomalyFacts(message: AnomalyMessage): [name: string, value: string][] {
  const { anomaly, device, group, timeZone } = message;
  return [
    ["Device", deviceName(device)],
    ["Severity", anomaly.severity],
    ...(anomaly.metric === null ? [] : [["Metric", metricName(anomaly)] as [string, string]]),
    ["Value", measured(anomaly.value, anomaly)],
    ["Limit", measured(anomaly.limit, anomaly)],
    ["Opened", localTime(anomaly.openedAt, timeZone)],
    ...(anomaly.resolvedAt === null ? [] : [["Resolved", resolution(message)] as [string, string]]),
    ["Group", group.name],
  ];
}

function metricName({ metric, label }: AnomalyMessage["anomaly"]): string {
  return label === undefined ? metric! : `${label} (${metric})`;
}

function measured(value: unknown, { unit }: AnomalyMessage["anomaly"]): string {
  const text = JSON.stringify(value);
  return unit === undefined || (typeof value !== "number" && !Array.isArray(value)) ? text : `${text} ${unit}`;
}

function resolution({ anomaly, timeZone }: AnomalyMessage): string {
  return `${localTime(anomaly.resolvedAt!, timeZone)} by ${anomaly.resolvedBy ?? "system"}`;
}

const CERTIFICATE_SENTENCES: Record<CertificateMessage["type"], string> = {
  "certificate.renewal_overdue": "has not renewed its certificate in time",
  "certificate.expiring": "has a bundle that ends soon",
  "certificate.superseded_tried": "tried a certificate that a renewal had replaced: an old copy is in use",
  "finding.shared_key": "shares its private key with another device",
};

function ofCertificate(message: CertificateMessage, baseUrl: string) {
  const { certificate, device, timeZone, type } = message;
  const subject = headline(message);
  const facts: [string, string][] = [
    ["Device", deviceName(device)],
    ["Serial number", certificate.serialNumber],
    ["Ends", localTime(certificate.expiresAt, timeZone)],
    ["Seen", localTime(message.at, timeZone)],
    ["Event", type],
  ];
  return {
    subject,
    lines: [oneLine(subject), "", ...table(facts), "", `${baseUrl}/devices/${encodeURIComponent(device.id)}`],
  };
}

function digest(message: DigestMessage, baseUrl: string) {
  const { items, total } = message;
  const subject = `${total} messages`;
  const lines = items.map((item) => oneLine(`${localTime(item.at, message.timeZone)}  ${headline(item)}`));
  const rest = total > items.length ? [`… and ${total - items.length} more`] : [];
  return { subject, lines: [`${total} messages came within a minute:`, "", ...lines, ...rest, "", baseUrl] };
}

/** Returns the message in one line. */
export function headline(message: SingleMessage): string {
  if ("certificate" in message) return `${message.device.name} ${CERTIFICATE_SENTENCES[message.type]}`;
  if ("suppressed" in message) return `${message.suppressed} messages were suppressed`;
  if ("notify" in message) return `TEST: pages of ${message.group.name} arrive here`;
  if ("user" in message) return "TEST: your pages arrive here";
  if ("duty" in message) return dutyHeadline(message);
  if ("handOver" in message) return `${message.group.name}: ${namesOf(message.handOver.to)} on duty`;
  const { anomaly, device } = message;
  const what = message.type === "anomaly.resolved" ? "RESOLVED" : anomaly.severity.toUpperCase();
  return `${what}: ${device.name}: ${anomaly.message}`;
}

function deviceName({ id, name, place }: NamedDevice): string {
  return place === undefined ? `${name} (${id})` : `${name} (${id}), ${place}`;
}

function table(facts: [string, string][]): string[] {
  const width = Math.max(...facts.map(([name]) => name.length)) + 2;
  return facts.map(([name, value]) => `${name.padEnd(width)}${oneLine(value)}`);
}

/** Replaces control characters, bidirectional marks and all kinds of line separators. */
export function oneLine(text: string, most = 1_000): string {
  const plain = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ").toWellFormed();
  return plain.length > most ? `${plain.slice(0, most - 1).toWellFormed()}…` : plain;
}

/** Formats a time, for example `2026-11-21 14:03:10 (Europe/Berlin)`. */
export function localTime(at: string, timeZone: string): string {
  const wall = new Date(wallTime(timeZone, Date.parse(at))).toISOString();
  return `${wall.slice(0, 10)} ${wall.slice(11, 19)} (${timeZone})`;
}
