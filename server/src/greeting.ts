/**
 * Returns the text for a person at a terminal when the service is ready. The log, on stdout, has the same information
 * as JSON, without the link.
 */
export function greeting({ appUrl, link, caFile }: Greeting): string {
  const lines = ["", `  Admin app   ${appUrl}`];
  if (link)
    lines.push(`  Set it up   ${link.url}`, `              This link works once, until ${timeOf(link.expiresAt)}.`);
  if (caFile)
    lines.push("", "  Browsers warn of the development certificate: continue to the page, or import", `  ${caFile}`);
  return [...lines, ""].join("\n");
}

export interface Greeting {
  appUrl: string;
  /** At the first start: the link with which the first admin sets up the service. */
  link?: { url: string; expiresAt: Date } | undefined;
  /** The CA file of the development certificate; absent if browsers trust the certificate. */
  caFile?: string | undefined;
}

/** Formats the local time of day, which is sufficient because the link lasts an hour. */
function timeOf(at: Date): string {
  return at.toTimeString().slice(0, 5);
}
