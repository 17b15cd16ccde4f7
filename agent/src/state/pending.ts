import { join } from "node:path";
import { makeCsr, makeKey } from "../csr.ts";
import { diskSteps, type FileSteps, readIfThere } from "./files.ts";

/** A key for which a certificate has been requested, or is about to be. */
export interface PendingRequest {
  keyPem: string;
  csrPem: string;
  /** Whether an earlier request for this key got no answer, so that the server may have issued its certificate. */
  unanswered: boolean;
}

const FOLDER = "pending";
const UNANSWERED = "unanswered";

/**
 * Returns the key and CSR of the request: those of an unfinished attempt, or new ones. The key is stored before the
 * first byte is sent, so that it exists even if the certificate is issued and the answer lost.
 */
export async function pendingRequest(stateDir: string, steps: FileSteps = diskSteps): Promise<PendingRequest> {
  return (await readPending(stateDir)) ?? (await makePending(stateDir, steps));
}

/** Marks that a request has been sent; {@link clearSent} removes the mark. */
export async function markSent(stateDir: string, steps: FileSteps = diskSteps): Promise<void> {
  await steps.write(join(stateDir, FOLDER, UNANSWERED), "", 0o600);
}

/** Removes the mark once the server has answered, or if the request never reached it. */
export async function clearSent(stateDir: string, steps: FileSteps = diskSteps): Promise<void> {
  await steps.remove(join(stateDir, FOLDER, UNANSWERED));
}

/** Deletes the pending key. Its certificate must be in the state folder. */
export async function dropPending(stateDir: string, steps: FileSteps = diskSteps): Promise<void> {
  await steps.remove(join(stateDir, FOLDER));
}

/** Returns the stored request, or undefined. */
export async function readPending(stateDir: string): Promise<PendingRequest | undefined> {
  const folder = join(stateDir, FOLDER);
  const [keyPem, unanswered] = await Promise.all(
    ["key.pem", UNANSWERED].map((name) => readIfThere(join(folder, name))),
  );
  if (keyPem === undefined) return undefined;
  // The CSR is not stored, because only its key matters, and ECDSA signatures differ each time anyway.
  return { keyPem, csrPem: makeCsr(keyPem), unanswered: unanswered !== undefined };
}

async function makePending(stateDir: string, steps: FileSteps): Promise<PendingRequest> {
  const keyPem = await makeKey();
  const temporary = join(stateDir, `${FOLDER}.tmp`);
  await steps.makeFolder(stateDir);
  await steps.remove(temporary);
  await steps.makeFolder(temporary);
  await steps.write(join(temporary, "key.pem"), keyPem, 0o600);
  await steps.syncFolder(temporary);
  await steps.remove(join(stateDir, FOLDER));
  await steps.rename(temporary, join(stateDir, FOLDER));
  await steps.syncFolder(stateDir);
  return { keyPem, csrPem: makeCsr(keyPem), unanswered: false };
}
