import { ScimRefusal } from "./refusal.ts";

/** An attribute of a resource, as `/Schemas` describes it (RFC 7643 7). */
export interface Attribute {
  name: string;
  type: "string" | "boolean" | "complex" | "reference";
  description: string;
  multiValued?: boolean;
  required?: boolean;
  caseExact?: boolean;
  mutability?: "readWrite" | "readOnly" | "immutable";
  uniqueness?: "none" | "server";
  referenceTypes?: readonly string[];
  subAttributes?: readonly Attribute[];
}

/** The writable attributes of a resource by their names. */
export type Document = Record<string, unknown>;

const MOST_CHARACTERS = 1_000;

/** Returns the attribute with this name, in any case (RFC 7643 2.1). */
export function attributeNamed(attributes: readonly Attribute[], name: string): Attribute | undefined {
  return attributes.find((each) => each.name.toLowerCase() === name.toLowerCase());
}

/**
 * Returns the writable attributes of a body with their canonical names. Unknown and read-only attributes are ignored
 * (RFC 7644 3.3), empty ones are unassigned (RFC 7643 2.5).
 *
 * @param mostValues the most values of an attribute
 * @throws ScimRefusal invalidSyntax, invalidValue
 */
export function readDocument(attributes: readonly Attribute[], body: unknown, mostValues: number): Document {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new ScimRefusal("invalidSyntax", "A resource is a JSON object.");
  const document: Document = {};
  for (const [name, value] of Object.entries(body)) {
    const attribute = attributeNamed(attributes, name);
    if (!attribute || attribute.mutability === "readOnly" || isUnassigned(value)) continue;
    document[attribute.name] = readValue(attribute, value, mostValues);
  }
  return document;
}

/** Returns the value of an attribute. @throws ScimRefusal invalidSyntax, invalidValue */
export function readValue(attribute: Attribute, value: unknown, mostValues: number): unknown {
  if (!attribute.multiValued) return readOne(attribute, value, mostValues);
  const values = Array.isArray(value) ? value : [value];
  if (values.length > mostValues)
    throw new ScimRefusal("tooMany", `${attribute.name} has at most ${mostValues} values.`);
  return values.map((each) => readOne(attribute, each, mostValues));
}

function readOne(attribute: Attribute, value: unknown, mostValues: number): unknown {
  switch (attribute.type) {
    case "complex":
      // A member may be given by its id alone.
      if (typeof value === "string" && attribute.multiValued) return { value: readText(attribute, value) };
      return readDocument(attribute.subAttributes ?? [], value, mostValues);
    case "boolean":
      return readBoolean(attribute, value);
    default:
      return readText(attribute, value);
  }
}

/** Some providers send booleans as text. */
function readBoolean({ name }: Attribute, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.toLowerCase() : undefined;
  if (text === "true" || text === "false") return text === "true";
  throw new ScimRefusal("invalidValue", `${name} is true or false.`);
}

function readText({ name }: Attribute, value: unknown): string {
  if (typeof value === "string" && value.length <= MOST_CHARACTERS) return value;
  throw new ScimRefusal("invalidValue", `${name} is text of at most ${MOST_CHARACTERS} characters.`);
}

export function isUnassigned(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
