/**
 * Ends the process with one sentence if its Node is older than `[major, minor]`. Old versions can parse this file.
 *
 * @param {string} program the name in the sentence
 * @param {[number, number]} oldest
 */
export function requireNode(program, [major, minor]) {
  const [ownMajor, ownMinor] = process.versions.node.split(".").map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  console.error(
    `${program} needs Node ${major}.${minor} or later; this is ${process.version}. ` +
      "On Linux, npm ci in a clone brings a newer one for npx and npm, unless it omits optional packages.",
  );
  process.exit(1);
}
