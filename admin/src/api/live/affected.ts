/**
 * The beginnings of the addresses that an event makes stale, by the family of its kind: the part before the dot. Every
 * event changes counts, so the overview is always stale.
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

/** Returns the beginnings of the addresses whose answers an event of `kind` may have changed. */
export function affectedBy(kind: string): readonly string[] {
  const [family = ""] = kind.split(".", 1);
  return [...ALWAYS, ...(FAMILIES[family] ?? [])];
}
