/** The words of an entry that a reader finishes. */
const MOST_WORDS = 600;

/**
 * Returns the changelog with the entry of `version` dated and an empty one for unreleased changes above it. The entry
 * is headed `## <version> (unreleased)` until then.
 * @throws Error if there is no such entry, or if it is too long
 */
export function datedChangelog(text: string, version: string, date: string): string {
  const heading = `## ${version} (unreleased)`;
  if (!text.includes(heading)) throw new Error(`CHANGELOG.md has no entry "${heading}"`);
  const words = entryOf(text, heading).split(/\s+/).filter(Boolean).length;
  if (words > MOST_WORDS) throw new Error(`the entry of ${version} has ${words} words, of at most ${MOST_WORDS}`);
  return text.replace(heading, `## Unreleased\n\n## ${version} - ${date}`);
}

function entryOf(text: string, heading: string): string {
  return text.slice(text.indexOf(heading) + heading.length).split(/^## /m)[0]!;
}
