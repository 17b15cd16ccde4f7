import { systemClock } from "./lib/clock.ts";
import type { Logger } from "./lib/logger.ts";
import { removeSetUpLink, type SetUpLink, writeSetUpLink } from "./set-up-link-file.ts";

interface Shown {
  dataDir: string;
  /** Whether a person reads the link at a terminal. */
  atTerminal: boolean;
  logger: Logger;
}

/**
 * Stores the set-up link of a service without users in a file of the data folder, unless a terminal shows it, and
 * removes the file when the link expires. The link is never logged, since logs are kept, forwarded and read by others.
 * Without a link, a file of an earlier start is removed.
 */
export async function storeSetUpLink(
  link: SetUpLink | undefined,
  { dataDir, atTerminal, logger }: Shown,
): Promise<void> {
  try {
    if (!link || atTerminal) return await removeSetUpLink(dataDir);
    const file = await writeSetUpLink(dataDir, link);
    logger.info(
      { setupLinkFile: file, expiresAt: link.expiresAt, command: "muster setup-link" },
      "not set up yet: open the link in the file, or create another with the command",
    );
    removeLater(link, { dataDir, logger });
  } catch (error) {
    logger.warn(
      { err: (error as Error).message, command: "muster setup-link" },
      "the file of the set-up link cannot be changed: create a link with the command",
    );
  }
}

function removeLater({ expiresAt }: SetUpLink, { dataDir, logger }: Omit<Shown, "atTerminal">): void {
  const remove = () =>
    removeSetUpLink(dataDir).catch((error: Error) => {
      logger.warn({ err: error.message }, "the file of the expired set-up link cannot be removed");
    });
  setTimeout(remove, expiresAt.getTime() - systemClock.now().getTime()).unref();
}
