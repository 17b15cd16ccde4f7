import { createHmac, timingSafeEqual } from "node:crypto";
import { base32Lower } from "../../lib/ids.ts";

/** What authenticator apps take for granted (RFC 6238): SHA-1, steps of 30 seconds, six digits. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** Steps before and after the present one whose codes are accepted, for clocks that differ and codes that are typed slowly. */
const TOLERANCE = 1;
/** As long as the result of the hash (RFC 4226 4, R6). */
export const SECRET_OCTETS = 20;

/** The time step at `now` (RFC 6238 4.2). */
export function stepAt(now: Date): number {
  return Math.floor(now.getTime() / STEP_MS);
}

/** The code of a time step (RFC 4226 5.3). */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const number = mac.readUInt32BE(mac[mac.length - 1]! & 0xf) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** The steps around `now` that `code` belongs to, the earliest first. Blanks in the code are ignored: apps show it in two halves. */
export function stepsOf(secret: Buffer, code: string, now: Date): number[] {
  const typed = code.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(typed)) return [];
  const steps = Array.from({ length: 2 * TOLERANCE + 1 }, (_, at) => stepAt(now) - TOLERANCE + at);
  return steps.filter((step) => timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(typed)));
}

/** The secret as authenticator apps take it by hand (RFC 4648 6, without padding). */
export function secretText(secret: Buffer): string {
  return base32Lower(secret).toUpperCase();
}

/**
 * What the QR code says (Key URI Format). Apps show `issuer` and the address.
 *
 * @param issuer names the installation; it has no colon, which separates the two
 */
export function otpauthUri({ secret, email, issuer }: { secret: Buffer; email: string; issuer: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  const parameters = { secret: secretText(secret), issuer, algorithm: "SHA1", digits: DIGITS, period: STEP_MS / 1000 };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `otpauth://totp/${label}?${query.join("&")}`;
}
