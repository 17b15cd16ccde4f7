import { MINUTE } from "../lib/clock.ts";
import { records } from "../lib/limits/records.ts";

/** The limits of spec 8 and docs/spec-decisions.md that enrollment enforces. */
export const CLAIM_MINUTES = { min: 5, max: records.minutesOfClaim.value, default: 60 } as const;
export const CLAIM_USES = { min: 1, max: records.usesOfClaim.value, default: 1 } as const;
export const INTENDED_NAME_LENGTH = records.nameCharacters.value;
export const MAX_ACTIVE_PLATFORM_CERTS_PER_DEVICE = records.bundlesOfDevice.value;
/** The number of unknown claim codes that one address may try in a window before it is rate limited. */
export const GUESSES = { max: records.guessesPerAddress.value, windowMs: 10 * MINUTE } as const;
/** The time limit of a signature: requests should be answered within about 5 s. */
export const SIGN_TIMEOUT_MS = 5_000;
export const RENEWAL_ENDPOINT = "/api/provisioning/cert/renew";
/** The greatest length of a field that a device reports about itself. */
export const REPORTED_LENGTH = records.reportedCharacters.value;
/** The greatest number of capabilities that a device reports. */
export const MAX_CAPABILITIES = records.capabilitiesOfDevice.value;
/** The greatest number of groups that the devices of a claim join. */
export const MAX_INTENDED_GROUPS = records.groupsOfDevice.value;
