import { MINUTE } from "../lib/clock.ts";

/** The numbers of spec 8 and docs/spec-decisions.md that enrollment decides by. */
export const CLAIM_MINUTES = { least: 5, most: 1440, usual: 60 } as const;
export const CLAIM_USES = { least: 1, most: 100, usual: 1 } as const;
export const INTENDED_NAME_LENGTH = 120;
export const MAX_ACTIVE_PLATFORM_CERTS_PER_DEVICE = 2;
/** Unknown claim codes one address may try in one window before it is asked to wait. */
export const GUESSES = { most: 30, windowMs: 10 * MINUTE } as const;
/** A signer that has not answered by then has failed: a request is answered within 5 s or so (reliability.md). */
export const SIGN_TIMEOUT_MS = 5_000;
/** How long a revocation waits for every broker node to confirm that the sessions are gone (B1). */
export const DROP_TIMEOUT_MS = 5_000;
export const RENEWAL_ENDPOINT = "/api/provisioning/cert/renew";
/** Characters of one thing that a device reports about itself. */
export const REPORTED_LENGTH = 256;
