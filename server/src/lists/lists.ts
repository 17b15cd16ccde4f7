/** A list whose `total` and deep pages stay cheap (docs/decisions/0008). */
export interface CountedList {
  /** The UUIDv7 column that orders it, newest first. */
  readonly key: "id" | "uid";
  /** SQL: which rows are in the list at all; as in the predicate of its index. */
  readonly where?: string;
  /** The column whose values are the variants: the list narrowed by one of them is counted as well. */
  readonly by?: "status";
  /** Variants that are no column's values: name → SQL, as in the predicate of an index of the variant's own. */
  readonly variants?: Readonly<Record<string, string>>;
}

/**
 * Every counted list by its table. Each needs, in the migration that creates the table:
 *
 * - an index `(tenant_id, <key>)` (that of a UNIQUE will do), with `by` another `(tenant_id, status, <key>)`. All ascending:
 *   a list is read by tenant and key in one direction, for which an index of two directions is of no use.
 * - triggers that tell `note_listed` what entered and left, usually (`0001-baseline/functions/lists.ts`):
 *   `AFTER INSERT OR DELETE … EXECUTE FUNCTION list_row()`, or `list_row_by_status()` and that once more for
 *   `AFTER UPDATE OF status … WHEN (OLD.status IS DISTINCT FROM NEW.status)`. Where a statement writes many rows, triggers for each
 *   statement cost less: see `list_anomalies`.
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
