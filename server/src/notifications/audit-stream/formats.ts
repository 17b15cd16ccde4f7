import type { OutboxRow } from "./stream-store.ts";

/** An entry as every receiver gets it. `id` is the same in a repetition. */
export interface StreamedEntry {
  id: string;
  audit: OutboxRow["audit"];
  tenant: string;
  at: string;
  [field: string]: unknown;
}

/** Fields of the row that only the database needs. */
const INTERNAL: ReadonlySet<string> = new Set(["tenant_id", "seq"]);

export function entryOf({ audit, entry }: OutboxRow, tenant: string): StreamedEntry {
  const fields = Object.entries(entry).filter(([name, value]) => !INTERNAL.has(name) && value !== null);
  const named = fields.map(([name, value]) => [
    name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
    value,
  ]);
  const { id, at, ...others } = Object.fromEntries(named) as Record<string, unknown>;
  return { id: String(id), audit, tenant, at: new Date(String(at)).toISOString(), ...others };
}

/** Returns one JSON text per line. */
export function ndjson(entries: readonly StreamedEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

/** Facility 13 (log audit), severity 6 (informational). */
const PRIORITY = 13 * 8 + 6;

/** Returns syslog messages (RFC 5424) whose text is the entry as JSON, each after its length (RFC 5425 4.3). */
export function syslogFrames(entries: readonly StreamedEntry[], hostname: string): string {
  return entries
    .map((entry) => {
      const message = `<${PRIORITY}>1 ${entry.at} ${hostname} muster - ${entry.audit} - ${JSON.stringify(entry)}`;
      return `${Buffer.byteLength(message)} ${message}`;
    })
    .join("");
}

/** Returns the body of an export of logs by OTLP over HTTP, as JSON (OTLP 1.x). */
export function otlpLogs(entries: readonly StreamedEntry[]): string {
  const text = (key: string, value: unknown) => ({ key, value: { stringValue: String(value) } });
  const tenant = entries[0]?.tenant ?? "";
  const logRecords = entries.map((entry) => {
    const nanoseconds = `${new Date(entry.at).getTime()}000000`;
    return {
      timeUnixNano: nanoseconds,
      observedTimeUnixNano: nanoseconds,
      severityNumber: 9,
      severityText: "INFO",
      body: { stringValue: JSON.stringify(entry) },
      attributes: [text("muster.audit.id", entry.id), text("muster.audit", entry.audit)],
    };
  });
  const resource = { attributes: [text("service.name", "muster"), text("muster.tenant", tenant)] };
  return JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ scope: { name: "muster.audit" }, logRecords }] }] });
}
