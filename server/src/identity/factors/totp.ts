import { createHmac, timingSafeEqual } from "node:crypto";
import { base32Lower } from "../../lib/ids.ts";

/** The parameters that authenticator apps assume (RFC 6238): SHA-1, steps of 30 seconds, six digits. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** The number of steps before and after the current one whose codes are accepted, for clock skew and slow typing. */
const TOLERANCE = 1;
/** The length of the hash's result (RFC 4226 4, R6). */
export const SECRET_OCTETS = 20;

/** Returns the time step at `now` (RFC 6238 4.2). */
export function stepAt(now: Date): number {
  return Math.floor(now.getTime() / STEP_MS);
}

/** Returns the code of a time step (RFC 4226 5.3). */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const number = mac.readUInt32BE(mac[mac.length - 1]! & 0xf) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/**
 * Returns the steps around `now` that `code` belongs to, earliest first. Blanks are ignored, since apps show the code
 * in two halves.
 */
export function stepsOf(secret: Buffer, code: string, now: Date): number[] {
  const typed = code.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(typed)) return [];
  const steps = Array.from({ length: 2 * TOLERANCE + 1 }, (_, at) => stepAt(now) - TOLERANCE + at);
  return steps.filter((step) => timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(typed)));
}

/** Returns the secret in the form that is typed into authenticator apps (RFC 4648 6, without padding). */
export function secretText(secret: Buffer): string {
  return base32Lower(secret).toUpperCase();
}

/**
 * Returns the content of the QR code (Key URI Format). Apps show `issuer` and the address.
 *
 * @param issuer the name of the installation, without a colon, which separates the two
 */
export function otpauthUri({ secret, email, issuer }: { secret: Buffer; email: string; issuer: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  const parameters = { secret: secretText(secret), issuer, algorithm: "SHA1", digits: DIGITS, period: STEP_MS / 1000 };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `otpauth://totp/${label}?${query.join("&")}`;
}
