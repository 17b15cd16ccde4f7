import assert from "node:assert/strict";
import { stepAt, totpCode } from "../../src/identity/factors/totp.ts";
import { SECOND } from "../../src/lib/clock.ts";
import type { FakeClock } from "./fake-clock.ts";
import type { TestServer } from "./server.ts";
import type { SignedIn } from "./sign-in.ts";

/** An authenticator app with one account. */
export interface Authenticator {
  key: Buffer;
  /** Returns the current code. */
  code(): string;
  /** Advances the clock by 30 seconds, so that the code is unused. */
  nextCode(): string;
}

/** @param secret in base32, as the service shows it */
export function authenticator(clock: FakeClock, secret: string): Authenticator {
  const key = decodeBase32(secret);
  const code = () => totpCode(key, stepAt(clock.now()));
  return {
    key,
    code,
    nextCode() {
      clock.advance(30 * SECOND);
      return code();
    },
  };
}

export interface TurnedOn extends Authenticator {
  factorId: string;
  secret: string;
  recoveryCodes: string[];
}

/** Sets up a second factor for a signed-in user, replacing an existing one. */
export async function turnOnFactor(
  { clock }: Pick<TestServer, "clock">,
  user: Pick<SignedIn, "call">,
): Promise<TurnedOn> {
  const begun = await user.call("POST", "/factors");
  assert.equal(begun.status, 201, begun.text);
  const { id: factorId, secret } = begun.json;
  const app = authenticator(clock, secret);
  const confirmed = await user.call("POST", `/factors/${factorId}/confirm`, { body: { code: app.nextCode() } });
  assert.equal(confirmed.status, 200, confirmed.text);
  return { ...app, factorId, secret, recoveryCodes: confirmed.json.recoveryCodes };
}

/** Decodes base32 (RFC 4648 6). */
function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  );
  const octets = bits.join("").match(/.{8}/g)!;
  return Buffer.from(octets.map((octet) => Number.parseInt(octet, 2)));
}
