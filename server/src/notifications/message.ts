/** What an anomaly's page says; times are ISO 8601. */
export interface AnomalyMessage {
  type: "anomaly.opened" | "anomaly.resolved";
  at: string;
  /** The zone in which the reader's shift thinks. */
  timeZone: string;
  group: { id: string; name: string };
  device: { id: string; name: string };
  anomaly: {
    id: string;
    severity: string;
    message: string;
    metric: string | null;
    value: unknown;
    limit: unknown;
    openedAt: string;
    resolvedAt: string | null;
    resolvedBy: string | null;
  };
}

/** What a tenant's admins are told of a certificate. */
export interface CertificateMessage {
  type: NoticeKind;
  at: string;
  timeZone: string;
  device: { id: string; name: string };
  certificate: { id: string; serialNumber: string; expiresAt: string };
}

export const NOTICE_KINDS = [
  "certificate.renewal_overdue",
  "certificate.expiring",
  "certificate.superseded_tried",
  "finding.shared_key",
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export type SingleMessage = AnomalyMessage | CertificateMessage;

/** Many messages to one person in one. */
export interface DigestMessage {
  type: "digest";
  at: string;
  timeZone: string;
  total: number;
  /** The first of them. */
  items: SingleMessage[];
}

export type Message = SingleMessage | DigestMessage;

const MOST_ITEMS = 200;

/** @param items not none, oldest first */
export function digestOf(items: SingleMessage[], now: Date): DigestMessage {
  const { timeZone } = items[0]!;
  return { type: "digest", at: now.toISOString(), timeZone, total: items.length, items: items.slice(0, MOST_ITEMS) };
}
