/**
 * Merges the fields of a form with the changes of another user.
 * @param before the fields when the form was opened
 * @returns `values`: the fields that this user has changed, and otherwise theirs; `both`: the fields that both have
 *   changed differently
 */
export function mergeVersions<Values extends object>(
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
