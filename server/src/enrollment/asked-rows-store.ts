import { type RawBuilder, sql } from "kysely";
import type { SignedValues } from "../certificates/certificates.ts";
import type { Parameters } from "../db/statement.ts";

type Types<Values> = Readonly<Record<keyof Values, string>>;

/** The rows `asked` of a statement that records several requests, passed as one parameter. */
export interface AskedRows<Values> {
  /** A FROM item: the rows of `json`, as {@link jsonOf} writes them. */
  from(json: RawBuilder<string>): RawBuilder<unknown>;
  /** The values of a row under its alias `row` in the statement. */
  valuesOf(row: string): Parameters<Values>;
}

/** @param types PostgreSQL's type of each value */
export function askedRows<Values extends object>(types: Types<Values>): AskedRows<Values> {
  const names = Object.keys(types) as (keyof Values & string)[];
  const columns = sql.join(names.map((name) => sql`${sql.ref(name)} ${sql.raw(types[name])}`));
  return {
    from: (json) => sql`json_to_recordset(${json}::json) AS a (${columns})`,
    valuesOf: (row) =>
      Object.fromEntries(names.map((name) => [name, sql.ref(`${row}.${name}`)])) as unknown as Parameters<Values>,
  };
}

/** Returns the rows as JSON, with bytes as text that PostgreSQL reads as `bytea`. */
export function jsonOf<Values extends object>(rows: readonly Values[]): string {
  const written = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])),
  );
  return JSON.stringify(written);
}

function textOf(value: unknown): unknown {
  return Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : value;
}

export const SIGNED_TYPES: Types<SignedValues> = {
  certificateId: "uuid",
  certificateKind: "text",
  serialNumber: "text",
  certificateFingerprint: "text",
  spkiSha256: "bytea",
  der: "bytea",
  subject: "text",
  issuedAt: "timestamptz",
  notBefore: "timestamptz",
  notAfter: "timestamptz",
  renewAfter: "timestamptz",
  auditId: "uuid",
  now: "timestamptz",
};
