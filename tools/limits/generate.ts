/**
 * Writes from the limits that the code uses `docs/limits.md` (those that a setting or a quota changes), `docs/limits.tsv` (all of them), and
 * `openapi/limits.json`, the values that no setting changes, for the admin app: `npm run generate`, or `--check` to fail when a file is not
 * current.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Level, Limit } from "../../server/src/lib/limits/limit.ts";
import { LIMITS, type LimitName, limitVariable, QUOTA_NAMES } from "../../server/src/lib/limits/limits.ts";

const root = dirname(dirname(import.meta.dirname));
const LEVELS: Level[] = ["request", "record", "message", "session", "device", "tenant", "address", "process"];

const page = `# Limits

Everything that an unauthenticated client, a device or a tenant can make grow or wait has a limit. This page lists the limits that a
setting changes. [limits.tsv](limits.tsv) lists all of them, with what happens when each is reached.

An environment variable sets the value for the whole service; 0 means no limit where the page says so. A limit marked with * is a quota:
\`muster tenant quota\` sets it for one tenant, and \`muster tenant usage\` shows the count beside it.

Both files are generated from \`server/src/lib/limits/\`, which the code uses: edit that, then run \`npm run generate\`.
${LEVELS.map(section).join("")}`;

const all = Object.entries<Limit>(LIMITS);
const lines = LEVELS.flatMap((level) => all.filter(([, limit]) => limit.level === level).map(line));
const tsv = ["of one", "limit", "default", "when it is reached", "variable"].join("\t");
const fixed = all.filter(([, limit]) => limit.fixed);
const values = Object.fromEntries(fixed.map(([name, { value }]) => [name, value]));
const files = {
  "docs/limits.md": page,
  "docs/limits.tsv": `${[tsv, ...lines].join("\n")}\n`,
  "openapi/limits.json": `${JSON.stringify(values, null, 2)}\n`,
};

for (const [path, text] of Object.entries(files)) {
  if (!process.argv.includes("--check")) writeFileSync(join(root, path), text);
  else if (current(path) !== text) {
    console.error(`not current: ${path}; run npm run generate`);
    process.exitCode = 1;
  }
}

/** The settable limits of a level as a table; nothing where there is none. */
function section(level: Level): string {
  const rows = Object.entries<Limit>(LIMITS)
    .filter(([name, limit]) => limit.level === level && limitVariable(name as LimitName))
    .map(([name, { of, value, zeroIsNone }]) => {
      const variable = `\`${limitVariable(name as LimitName)}\`${zeroIsNone ? " (0: no limit)" : ""}`;
      return `| ${of}${markOf(name)} | ${value.toLocaleString("en")} | ${variable} |`;
    });
  if (rows.length === 0) return "";
  return `
## Of one ${level}

| limit | default | variable |
|---|---|---|
${rows.join("\n")}
`;
}

function line([name, { level, of, value, reached }]: [string, Limit]): string {
  return [level, `${of}${markOf(name)}`, value, reached, limitVariable(name as LimitName) ?? ""].join("\t");
}

function markOf(name: string): string {
  return (QUOTA_NAMES as string[]).includes(name) ? " *" : "";
}

function current(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}
