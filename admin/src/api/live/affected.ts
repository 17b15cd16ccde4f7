/**
 * What an event makes stale: the family of its kind → beginnings of the addresses that were read. A family is the part of the kind before
 * the dot. Every event changes counts, so the overview is always among them.
 */
const FAMILIES: Record<string, readonly string[]> = {
  device: ["/api/admin/devices", "/api/admin/findings"],
  certificate: ["/api/admin/certificates", "/api/admin/devices", "/api/admin/claims", "/api/admin/audit"],
  claim: ["/api/admin/claims"],
  refusal: ["/api/admin/refusals"],
  anomaly: ["/api/admin/anomalies", "/api/admin/deliveries"],
  ticket: ["/api/admin/tickets", "/api/admin/anomalies"],
  finding: ["/api/admin/findings"],
  group: ["/api/admin/groups", "/api/admin/devices"],
  threshold: ["/api/admin/thresholds"],
  key: ["/api/admin/keys"],
  user: ["/api/admin/users", "/api/admin/keys", "/api/admin/actors"],
};

const ALWAYS = ["/api/admin/overview"];

/** Beginnings of the addresses whose answers an event of `kind` may have changed. */
export function affectedBy(kind: string): readonly string[] {
  const [family = ""] = kind.split(".", 1);
  return [...ALWAYS, ...(FAMILIES[family] ?? [])];
}
