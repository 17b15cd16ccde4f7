/** What a person at a terminal reads when the service is ready; the log, on stdout, has the same as JSON, without the link. */
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
  /** The authority of the development certificate; absent with a certificate that browsers trust. */
  caFile?: string | undefined;
}

/** The local time of day: the link lasts an hour. */
function timeOf(at: Date): string {
  return at.toTimeString().slice(0, 5);
}
