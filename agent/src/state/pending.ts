import { join } from "node:path";
import { makeCsr, makeKey } from "../csr.ts";
import { diskSteps, type FileSteps, readIfThere } from "./files.ts";

/** A key whose certificate has been, or is about to be, asked for. */
export interface PendingRequest {
  keyPem: string;
  csrPem: string;
  /** An earlier request for this key got no answer, so the server may have carried it out. */
  unanswered: boolean;
}

const FOLDER = "pending";
const UNANSWERED = "unanswered";

/**
 * The key and CSR to ask with: those kept from an attempt that did not end, or new ones, kept before the first byte
 * is sent so that a certificate that was issued and lost on the way is never for a key that was lost too.
 */
export async function pendingRequest(stateDir: string, steps: FileSteps = diskSteps): Promise<PendingRequest> {
  return (await readPending(stateDir)) ?? (await makePending(stateDir, steps));
}

/** Records that a request has been sent; {@link recordAnswered} removes the record. */
export async function recordSent(stateDir: string, steps: FileSteps = diskSteps): Promise<void> {
  await steps.write(join(stateDir, FOLDER, UNANSWERED), "", 0o600);
}

/** The server answered, whatever it said, or was never reached. */
export async function recordAnswered(stateDir: string, steps: FileSteps = diskSteps): Promise<void> {
  await steps.remove(join(stateDir, FOLDER, UNANSWERED));
}

/** Forgets the pending key; its certificate is in the state folder. */
export async function dropPending(stateDir: string, steps: FileSteps = diskSteps): Promise<void> {
  await steps.remove(join(stateDir, FOLDER));
}

/** The kept request, or undefined. */
export async function readPending(stateDir: string): Promise<PendingRequest | undefined> {
  const folder = join(stateDir, FOLDER);
  const [keyPem, unanswered] = await Promise.all(
    ["key.pem", UNANSWERED].map((name) => readIfThere(join(folder, name))),
  );
  if (keyPem === undefined) return undefined;
  // The CSR is made again from the key: the request is for the key, and ECDSA signatures differ each time anyway.
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
