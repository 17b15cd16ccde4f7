/**
 * The fields of a form after another user has changed the record.
 *
 * @param before as they were when the form was opened
 * @returns `values`: those that this user has changed, and of the others theirs; `both`: the fields that both have changed, differently
 */
export function mergeVersions<Values extends Record<string, unknown>>(
  before: Values,
  mine: Values,
  theirs: Values,
): { values: Values; both: (keyof Values & string)[] } {
  const fields = Object.keys(mine) as (keyof Values & string)[];
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const isMine = (field: keyof Values) => !isSame(mine[field], before[field]);
  const values = Object.fromEntries(fields.map((field) => [field, (isMine(field) ? mine : theirs)[field]])) as Values;
  const both = fields.filter(
    (field) => isMine(field) && !isSame(theirs[field], before[field]) && !isSame(theirs[field], mine[field]),
  );
  return { values, both };
}
