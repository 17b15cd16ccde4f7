import type { Tx } from "../../db/database.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { INTENDED_NAME_LENGTH } from "../limits.ts";
import { startNumbers } from "./name-numbers-store.ts";

/** The placeholder for the next number of the template within the tenant. */
const NUMBER = "{n}";
/** The placeholder for the hardware fingerprint that the device reported. */
const FINGERPRINT = "{fingerprint}";
/** The room that a number takes at most. */
const NUMBER_DIGITS = 10;

/**
 * Checks the placeholders of an intended name, which the statement of a redemption replaces (`name_of_device`). Any
 * other braces are part of the name.
 *
 * @throws MusterError invalid_request for a placeholder that occurs twice, or without room for its number
 */
export function checkNameTemplate(name: string): void {
  for (const placeholder of [NUMBER, FINGERPRINT]) {
    if (name.split(placeholder).length > 2)
      throw invalidRequest(`intendedName may contain ${placeholder} once`, "intendedName");
  }
  const most = INTENDED_NAME_LENGTH - NUMBER_DIGITS + NUMBER.length;
  if (name.includes(NUMBER) && name.length > most)
    throw invalidRequest(`intendedName with ${NUMBER} must be 1 to ${most} characters`, "intendedName");
}

/**
 * Starts the numbers of a template after the greatest one in the name of a device. A template that has been used
 * continues its numbers.
 */
export async function prepareNumbers(tx: Tx, tenantId: string, name: string): Promise<void> {
  const [prefix, suffix] = name.split(NUMBER);
  if (suffix === undefined) return;
  await startNumbers(tx, tenantId, name, name.includes(FINGERPRINT) ? undefined : { prefix: prefix!, suffix });
}
