import { z } from "zod";

/** The number of conditions of one parameter. */
const MOST = 20;

/**
 * A parameter with fields of metadata: `site=Hall%203,site=Hall%204,floor=2`, where names and values are encoded as in
 * an address. One of several values of a field suffices. A name alone means that the field exists.
 */
export function metadataFields(description: string) {
  return z
    .string()
    .max(4_096)
    .transform((text, context) => {
      try {
        return parsed(text);
      } catch {
        context.addIssue({ code: "custom", message: "must be name=value pairs, encoded as in an address" });
        return z.NEVER;
      }
    })
    .optional()
    .meta({
      type: "string",
      description: `${description}: \`site=Hall%203,site=Hall%204,floor=2\`, names and values encoded as in an address, at most ${MOST}. One of several values of a field suffices; a name alone means that the field exists`,
    });
}

function parsed(text: string): { field: string; values: string[] }[] {
  const pairs = text.split(",");
  if (pairs.length > MOST) throw new Error("too many");
  const fields = new Map<string, string[]>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const field = decoded(at < 0 ? pair : pair.slice(0, at));
    if (field === "") throw new Error("no name");
    const values = fields.get(field) ?? [];
    fields.set(field, at < 0 ? values : [...values, decoded(pair.slice(at + 1))]);
  }
  return [...fields].map(([field, values]) => ({ field, values }));
}

/** Text with NUL is in no record. */
function decoded(text: string): string {
  const plain = decodeURIComponent(text);
  if (plain.includes("\0")) throw new Error("NUL");
  return plain;
}
