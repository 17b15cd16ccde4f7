import { hashPassword } from "../access/access.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import type { IdentityDeps } from "./deps.ts";

/** The bounds of the length in characters as people count them, not in UTF-16 units. */
export const PASSWORD_LENGTH = { min: 12, max: 128 } as const;
const LEAST_DIFFERENT = 5;

/**
 * Common passwords stripped of digits, punctuation and the usual substitutions. Leaked passwords of at least twelve
 * characters contain little beyond these words, repeated or with something appended.
 */
const COMMON = new Set(
  (
    "password passwort motdepasse contrasena passphrase passcode secret geheim admin administrator administrador root superuser " +
    "welcome willkommen bienvenue letmein changeme iloveyou ihateyou loveyou sunshine princess princesa dragon monkey football " +
    "baseball basketball superman batman spiderman starwars pokemon minecraft qwerty qwertz azerty qwertyuiop qwertzuiop " +
    "azertyuiop asdfghjkl yxcvbnm zxcvbnm qazwsxedc qweasdzxc asdfgh zxcvbn abcdefgh abcdefghijkl login master shadow michael " +
    "jordan charlie computer internet whatever trustnoone default temporary test testing user guest muster correcthorsebatterystaple"
  ).split(" "),
);

const SUBSTITUTES: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
};

/**
 * Checks a password that a person chose: 12 to 128 characters, not a common one, not the address itself.
 *
 * @throws MusterError invalid_request
 */
export function checkPassword(password: string, email: string): void {
  const length = [...password].length;
  const { min, max } = PASSWORD_LENGTH;
  if (length < min || length > max) throw refused(`The password must have ${min} to ${max} characters.`);
  const plain = password.toLowerCase();
  if (new Set(plain).size < LEAST_DIFFERENT)
    throw refused("The password repeats the same few characters: choose another.");
  const [name = ""] = email.toLowerCase().split("@");
  const bare = letters(plain.replaceAll(email.toLowerCase(), "").replaceAll(name, ""));
  if (name.length > 3 && plain.includes(name) && bare.length < 4)
    throw refused("The password is made of your e-mail address: choose another.");
  if (isCommon(letters(plain)) || isCommon(letters(substituted(trimmed(plain)))) || isSequence(plain))
    throw refused("The password is one of those that are tried first: choose another.");
}

/**
 * Checks and hashes a password that a person chose; the hash gate limits concurrency.
 *
 * @throws MusterError invalid_request, rate_limited
 */
export async function hashChosen(
  { hashGate, ids }: Pick<IdentityDeps, "hashGate" | "ids">,
  password: string,
  email: string,
): Promise<string> {
  checkPassword(password, email);
  return await hashGate.run(() => hashPassword(password, ids));
}

/** Returns whether the text consists of common words alone. */
function isCommon(text: string): boolean {
  if (text === "") return true;
  for (const word of COMMON) if (text.startsWith(word) && isCommon(text.slice(word.length))) return true;
  return false;
}

/** Returns whether the characters form a sequence, such as `123456789012` or `abcdefghijkl`. */
function isSequence(text: string): boolean {
  let steps = 0;
  for (let at = 1; at < text.length; at++) if (Math.abs(text.charCodeAt(at) - text.charCodeAt(at - 1)) === 1) steps++;
  return steps >= text.length - 3;
}

function letters(text: string): string {
  return text.replaceAll(/[^\p{L}]/gu, "");
}

/** Returns the text without leading and trailing digits and punctuation. */
function trimmed(text: string): string {
  return text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
}

function substituted(text: string): string {
  return [...text].map((character) => SUBSTITUTES[character] ?? character).join("");
}

function refused(message: string) {
  return invalidRequest(message, "password");
}
