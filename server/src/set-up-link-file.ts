import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A link with which the first admin sets up the service. */
export interface SetUpLink {
  url: string;
  expiresAt: Date;
}

/** Returns the file that contains the set-up link of a service that was started without a terminal. */
export function setUpLinkFile(dataDir: string): string {
  return join(dataDir, "setup-link");
}

/**
 * Writes the link to a file that only the service's operating-system user can read, replacing an earlier one. The file
 * is complete or absent.
 *
 * @returns the path of the file
 */
export async function writeSetUpLink(dataDir: string, { url, expiresAt }: SetUpLink): Promise<string> {
  const file = setUpLinkFile(dataDir);
  const draft = `${file}.new`;
  await rm(draft, { force: true });
  const text = `${url}\n\nThis link works once, until ${expiresAt.toISOString()}.\n`;
  await writeFile(draft, text, { mode: 0o600, flag: "wx" });
  await rename(draft, file);
  return file;
}

/** Removes the file once its link was used, was replaced or has expired; does nothing if there is none. */
export async function removeSetUpLink(dataDir: string): Promise<void> {
  await rm(setUpLinkFile(dataDir), { force: true });
}
