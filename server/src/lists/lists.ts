/** A list whose `total` and deep pages stay cheap (docs/decisions/0008). */
export interface CountedList {
  /** The UUIDv7 column that orders it, newest first. */
  readonly key: "id" | "uid";
  /** SQL: the condition of the rows in the list, as in the predicate of its index. */
  readonly where?: string;
  /** The column whose values are the variants: the list narrowed to one of them is counted as well. */
  readonly by?: "status";
  /** Variants that are not a column's values: name → SQL, as in the predicate of the variant's own index. */
  readonly variants?: Readonly<Record<string, string>>;
}

/**
 * Every counted list by its table. In the migration that creates the table, each needs:
 *
 * - an index `(tenant_id, <key>)` (that of a UNIQUE constraint will do), and with `by` another one, `(tenant_id,
 *   status, <key>)`. All columns are ascending: a list is read by tenant and key in one direction, for which an index
 *   with mixed directions is useless.
 * - triggers that report entering and leaving rows to `record_list_change`, usually
 *   (`0001-baseline/functions/lists.ts`): `AFTER INSERT OR DELETE … EXECUTE FUNCTION list_row()`, or
 *   `list_row_by_status()`, and the latter again for `AFTER UPDATE OF status … WHEN (OLD.status IS DISTINCT FROM
 *   NEW.status)`. If a statement writes many rows, statement-level triggers cost less, like `list_anomalies`.
 */
export const LISTS = {
  admin_audit: { key: "id" },
  anomalies: { key: "id", by: "status" },
  api_audit: { key: "id" },
  certificates: {
    key: "id",
    variants: { active: "revoked_at IS NULL", revoked: "revoked_at IS NOT NULL" },
  },
  certificate_audit: { key: "id" },
  claims: { key: "id", by: "status" },
  devices: { key: "uid", where: "deleted_at IS NULL" },
  groups: { key: "id" },
  thresholds: { key: "id" },
  shifts: { key: "id" },
  tickets: { key: "id", by: "status" },
} as const satisfies Record<string, CountedList>;

export type ListName = keyof typeof LISTS;
