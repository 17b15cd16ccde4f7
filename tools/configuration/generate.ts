/**
 * Writes `docs/configuration.md` from the settings that the service parses: `npm run generate`. With `--check` it fails
 * if the page is outdated.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { settingDefaults } from "../../server/src/config/config.ts";
import { SECTIONS, type SettingSection, type SettingText } from "./settings.ts";

const root = dirname(dirname(import.meta.dirname));
const path = "docs/configuration.md";
const defaults = settingDefaults();

const page = `# Configuration

Every setting is an environment variable. An empty variable counts as unset. An invalid setting stops the start, and all
invalid settings are reported together. Unknown names \`MUSTER_…\` are logged as warnings. Lists use commas.

This page is generated from \`server/src/config/\`: edit \`tools/configuration/settings.ts\`, then run \`npm run generate\`.
${SECTIONS.map(section).join("")}
[limits.md](limits.md) lists every other limit with its variable \`MUSTER_LIMIT_…\`.

## Settings of Node

| Variable | Meaning |
|---|---|
| \`NODE_EXTRA_CA_CERTS\` | a PEM file of authorities to trust for mail servers and webhooks, besides the public ones |
| \`NODE_OPTIONS\` | \`--max-old-space-size=…\` sets the heap of each process in MiB |
`;

if (!process.argv.includes("--check")) writeFileSync(join(root, path), page);
else if (!existsSync(join(root, path)) || readFileSync(join(root, path), "utf8") !== page) {
  console.error(`not current: ${path}; run npm run generate`);
  process.exitCode = 1;
}

function section({ title, settings }: SettingSection): string {
  const rows = Object.entries(settings).map(
    ([name, text]) => `| \`${name}\` | ${defaultOf(name, text)} | ${text.meaning} |`,
  );
  return `
## ${title}

| Variable | Default | Meaning |
|---|---|---|
${rows.join("\n")}
`;
}

function defaultOf(name: string, { unset }: SettingText): string {
  const value = defaults[name];
  const isNone = value === undefined || (Array.isArray(value) && value.length === 0);
  return unset ?? (isNone ? "unset" : `\`${value}\``);
}
