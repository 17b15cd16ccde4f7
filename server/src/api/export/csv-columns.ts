import { z } from "zod";

/** A column of an export, and the path of its value in a record. */
export interface CsvColumn {
  /** The field's name in the API: `connectivity.status`. */
  readonly title: string;
  readonly path: readonly string[];
}

/**
 * Returns the columns of a list's records, in the order of their shape. A field with nested fields has a column for
 * each of them.
 *
 * @param page the shape of a page (`page(record)`)
 */
export function csvColumns(page: z.ZodType): CsvColumn[] {
  const items = fieldsOf(page)?.items;
  const record = items instanceof z.ZodArray ? fieldsOf(items.element as z.ZodType) : undefined;
  if (!record) throw new Error("only a page of records can be exported");
  return columnsOf(record, []);
}

function columnsOf(fields: Record<string, z.ZodType>, path: readonly string[]): CsvColumn[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const at = [...path, name];
    const inner = fieldsOf(field);
    return inner ? columnsOf(inner, at) : [{ title: at.join("."), path: at }];
  });
}

/** Returns the fields of an object; `undefined` for anything else, including an object with arbitrary fields. */
function fieldsOf(shape: z.ZodType): Record<string, z.ZodType> | undefined {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return fieldsOf(shape.unwrap() as z.ZodType);
  if (!(shape instanceof z.ZodObject)) return undefined;
  const fields = shape.shape as Record<string, z.ZodType>;
  return Object.keys(fields).length > 0 ? fields : undefined;
}
