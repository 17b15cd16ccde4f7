/**
 * Writes three files from the limits in the code: `docs/limits.tsv` (all limits), `docs/limits.md` (quotas),
 * and `openapi/limits.json` (the fixed values, for the admin app). It runs in `npm run generate`. With `--check` it
 * fails if a file is outdated.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Level, Limit } from "../../server/src/lib/limits/limit.ts";
import { LIMITS, type LimitName, limitVariable, QUOTA_NAMES } from "../../server/src/lib/limits/limits.ts";

const root = dirname(dirname(import.meta.dirname));
const LEVELS: Level[] = ["request", "record", "message", "session", "device", "tenant", "address", "process"];

const page = `# Limits

Everything that an unauthenticated client, a device or a tenant can make grow or wait has a limit.
[limits.tsv](limits.tsv) lists all of them: what is counted, the default, what happens when it is reached, and the
variable that sets it for the whole service. An HTTPS connection is a session in it, too. A limit without a variable is
fixed by the protocol, the specification or the schema. Both files are
[generated](adding-a-setting.md).

## Quotas

\`muster tenant quota\` sets a quota for one tenant, and \`muster tenant usage\` shows the count beside it. The variable
sets the default.

| quota of a tenant | default | variable |
|---|---|---|
${settable(isQuota)
  .map(({ name, of, value }) => `| ${of} | ${shown(value)} | \`${limitVariable(name)}\` |`)
  .join("\n")}
`;

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

function settable(isWanted: (name: LimitName, limit: Limit) => boolean): (Limit & { name: LimitName })[] {
  return Object.entries<Limit>(LIMITS)
    .map(([name, limit]) => ({ ...limit, name: name as LimitName }))
    .filter(({ name, ...limit }) => limitVariable(name) !== undefined && isWanted(name, limit));
}

function shown(value: number): string {
  return value.toLocaleString("en");
}

function line([name, { level, of, value, reached, zeroIsNone }]: [string, Limit]): string {
  return [
    level,
    isQuota(name as LimitName) ? `${of} (quota)` : of,
    value,
    reached,
    `${limitVariable(name as LimitName) ?? ""}${zeroIsNone ? " (0: no limit)" : ""}`,
  ].join("\t");
}

function isQuota(name: LimitName): boolean {
  return (QUOTA_NAMES as LimitName[]).includes(name);
}

function current(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}
