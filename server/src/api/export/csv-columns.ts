import { z } from "zod";

/** A column of an export: where its value is in a record. */
export interface CsvColumn {
  /** `connectivity.status`: as the API names it. */
  readonly title: string;
  readonly path: readonly string[];
}

/**
 * The columns of the records of a list, in the order of their shape. A field with fields of its own has a column for each.
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

/** The fields of an object; `undefined` of anything else, also of an object that may have any field. */
function fieldsOf(shape: z.ZodType): Record<string, z.ZodType> | undefined {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return fieldsOf(shape.unwrap() as z.ZodType);
  if (!(shape instanceof z.ZodObject)) return undefined;
  const fields = shape.shape as Record<string, z.ZodType>;
  return Object.keys(fields).length > 0 ? fields : undefined;
}
