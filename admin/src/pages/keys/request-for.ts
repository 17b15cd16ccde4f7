/** The list that a `read` scope allows. */
const LISTS: Readonly<Record<string, string>> = {
  devices: "devices",
  groups: "groups",
  shifts: "shifts",
  thresholds: "thresholds",
  anomalies: "anomalies",
  tickets: "tickets",
  provisioning: "provisioning/claims",
  "device-certificates": "device-certificates",
};

interface Service {
  origin: string;
  /** The authorities of a development certificate as PEM. */
  caPem: string | undefined;
}

/**
 * Returns a request with `key` that one of `scopes` allows; for a key that can only write, one that shows its limits.
 */
export function requestFor(key: string, scopes: readonly string[], { origin, caPem }: Service): string {
  const readable = scopes.find((scope) => scope.endsWith(":read"))?.slice(0, -":read".length);
  const path = LISTS[readable ?? ""] ?? "devices";
  const request = `-H 'X-API-Key: ${key}' \\\n  '${origin}/api/v1/${path}?limit=10'`;
  if (caPem === undefined) return `curl -sS ${request}`;
  return `cat > https-ca.pem <<'PEM'\n${caPem.trim()}\nPEM\ncurl -sS --cacert https-ca.pem ${request}`;
}
