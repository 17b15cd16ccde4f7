import { ScimRefusal } from "./refusal.ts";

/** A comparison for equality, the operator that identity providers use (RFC 7644 3.4.2.2). */
export interface Filter {
  /** In lower case, without the schema. */
  attribute: string;
  value: string | boolean;
}

const EQUALITY = /^\s*([\w$:.-]+)\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)\s*$/i;
const SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;

/** Parses `attribute eq "value"`. @throws ScimRefusal invalidFilter for any other filter */
export function parseFilter(text: string): Filter {
  const [, attribute, literal] = EQUALITY.exec(text) ?? [];
  if (attribute === undefined || literal === undefined)
    throw new ScimRefusal("invalidFilter", 'The only filters are of the form: attribute eq "value".');
  const value = literalValue(literal);
  // Escapes in the literal come past the check of the body.
  if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed()))
    throw new ScimRefusal("invalidFilter", "The value of the filter has a character that cannot be stored.");
  return { attribute: attribute.toLowerCase().replace(SCHEMA, ""), value };
}

function literalValue(literal: string): string | boolean {
  const value = parsed(literal.startsWith('"') ? literal : literal.toLowerCase());
  // An escape such as \u0000 yields text that the database cannot store.
  if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) throw notText();
  return value;
}

function parsed(literal: string): string | boolean {
  try {
    return JSON.parse(literal);
  } catch {
    throw notText();
  }
}

function notText(): ScimRefusal {
  return new ScimRefusal("invalidFilter", "The value of the filter is no JSON text.");
}
