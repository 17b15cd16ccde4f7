import assert from "node:assert/strict";
import { test } from "node:test";
import { settingDefaults } from "../../server/src/config/config.ts";
import { SECTIONS } from "./settings.ts";

test("docs/configuration.md lists exactly the settings that the service parses, each once", () => {
  const parsed = Object.keys(settingDefaults()).filter((name) => !/^MUSTER_(LIMIT|TEST)_/.test(name));
  assert.ok(parsed.length > 30);
  assert.deepEqual(SECTIONS.flatMap(({ settings }) => Object.keys(settings)).sort(), parsed.sort());
});
