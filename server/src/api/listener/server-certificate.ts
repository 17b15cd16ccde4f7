import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Logger } from "../../lib/logger.ts";
import { startPeriodicJob } from "../../lib/periodic-job.ts";

/** A certificate (leaf and chain) and its private key in PEM. */
export interface KeyPair {
  cert: string;
  key: string;
}

export interface KeyPairFiles {
  certFile: string;
  keyFile: string;
}

const CHECK_EVERY_MS = 5_000;

/** The present HTTPS certificate. */
export interface ServerCertificate {
  current(): KeyPair;
  /** Checks the files now instead of within 5 s. @returns whether another pair is in use from now on */
  reload(): Promise<boolean>;
  stop(): Promise<void>;
}

/**
 * Reads an operator's certificate, and rereads it whenever its files change. A pair that does not match, such as one
 * being written, is refused and logged; the present pair stays in use.
 *
 * @throws Error if the first pair cannot be used
 */
export async function watchKeyPair(
  files: KeyPairFiles,
  logger: Logger,
  changed: () => void,
): Promise<ServerCertificate> {
  let stamp = await stampOf(files);
  let pair = await readKeyPair(files);

  async function reload(): Promise<boolean> {
    const seen = await stampOf(files).catch(() => undefined);
    if (seen === undefined || seen === stamp) return false;
    try {
      const fresh = await readKeyPair(files);
      stamp = seen;
      if (fresh.cert === pair.cert && fresh.key === pair.key) return false;
      pair = fresh;
    } catch (error) {
      stamp = seen;
      logger.error(
        { err: (error as Error).message, certFile: files.certFile },
        "the new HTTPS certificate cannot be used; the old one stays",
      );
      return false;
    }
    logger.info({ certFile: files.certFile }, "the HTTPS certificate was replaced");
    changed();
    return true;
  }

  const stop = startPeriodicJob(CHECK_EVERY_MS, "check the HTTPS certificate files", reload, logger);
  return { current: () => pair, reload, stop };
}

/**
 * Reads a certificate with its key, and checks that they match.
 *
 * @throws Error that says what is wrong
 */
export async function readKeyPair({ certFile, keyFile }: KeyPairFiles): Promise<KeyPair> {
  const [cert, key] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
  const leaf = new X509Certificate(cert);
  if (!leaf.checkPrivateKey(createPrivateKey(key))) throw new Error(`${keyFile} is not the key of ${certFile}`);
  createSecureContext({ cert, key });
  return { cert, key };
}

/** Returns a stamp that changes whenever either file is written or replaced. */
async function stampOf({ certFile, keyFile }: KeyPairFiles): Promise<string> {
  const stats = await Promise.all([stat(certFile), stat(keyFile)]);
  return stats.map(({ mtimeMs, size, ino }) => `${mtimeMs}-${size}-${ino}`).join(" ");
}
