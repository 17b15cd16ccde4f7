/**
 * Writes from the limits that the code uses `docs/limits.md`, and `openapi/limits.json`, the values that no setting changes, for the admin
 * app: `npm run generate`, or `--check` to fail when a file is not current.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Level, Limit } from "../../server/src/lib/limits/limit.ts";
import { LIMITS, type LimitName, limitVariable, QUOTA_NAMES } from "../../server/src/lib/limits/limits.ts";

const root = dirname(dirname(import.meta.dirname));
const LEVELS: Level[] = ["request", "record", "message", "session", "device", "tenant", "address", "process"];

const page = `# Limits

Whatever an unauthenticated client, a device or a tenant can make grow or wait has a limit. This page is generated from
\`server/src/lib/limits/\`, which the code uses: edit that, then run \`npm run generate\`.

The environment variable of a limit sets its value for the whole service; where the last column is empty, the protocol,
the specification or the schema fixes the value. A limit marked with * is a quota: \`muster tenant quota\` sets it for one tenant,
and \`muster tenant usage\` shows the count beside it.
${LEVELS.map(section).join("")}`;

const fixed = Object.entries<Limit>(LIMITS).filter(([, limit]) => limit.fixed);
const values = Object.fromEntries(fixed.map(([name, { value }]) => [name, value]));
const files = { "docs/limits.md": page, "openapi/limits.json": `${JSON.stringify(values, null, 2)}\n` };

for (const [path, text] of Object.entries(files)) {
  if (!process.argv.includes("--check")) writeFileSync(join(root, path), text);
  else if (current(path) !== text) {
    console.error(`not current: ${path}; run npm run generate`);
    process.exitCode = 1;
  }
}

function section(level: Level): string {
  const limits = Object.entries<Limit>(LIMITS).filter(([, limit]) => limit.level === level);
  if (limits.length === 0) return "";
  const rows = limits.map(([name, limit]) => row(name as LimitName, limit)).join("\n");
  return `
## Of one ${level}

| limit | default | when it is reached | variable |
|---|---|---|---|
${rows}
`;
}

function row(name: LimitName, { of, value, reached, zeroIsNone }: Limit): string {
  const mark = (QUOTA_NAMES as string[]).includes(name) ? " *" : "";
  const variable = limitVariable(name);
  return `| ${of}${mark} | ${value.toLocaleString("en")} | ${reached} | ${variable ? `\`${variable}\`${zeroIsNone ? " (0: no limit)" : ""}` : ""} |`;
}

function current(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}
