/** The words of an entry that a reader finishes. */
const MOST_WORDS = 600;
/** The heading of Keep a Changelog under which a version grows. */
const UNRELEASED = "## [Unreleased]\n";

/**
 * Returns the changelog with what stands under `[Unreleased]` as the entry of `version`, and nothing under
 * `[Unreleased]`.
 * @throws Error if the heading is missing or nothing stands under it, if the entry is too long, or if the changelog has
 * the version already
 */
export function datedChangelog(text: string, version: string, date: string): string {
  const [before, rest] = text.split(UNRELEASED);
  if (rest === undefined) throw new Error('CHANGELOG.md has no heading "## [Unreleased]"');
  if (rest.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md has an entry of ${version} already`);
  const words = rest.split(/^## /m)[0]!.split(/\s+/).filter(Boolean).length;
  if (words === 0) throw new Error("CHANGELOG.md has nothing under [Unreleased]");
  if (words > MOST_WORDS) throw new Error(`the entry of ${version} has ${words} words, of at most ${MOST_WORDS}`);
  return `${before}${UNRELEASED}\n## [${version}] - ${date}\n${rest}`;
}
