import assert from "node:assert/strict";
import { test } from "node:test";
import { isAllowedLicence } from "./licences.ts";

test("an expression is allowed if one of its choices has allowed licences only", () => {
  for (const allowed of ["MIT", "(MIT OR GPL-3.0-only)", "Apache-2.0 AND BSD-3-Clause", "GPL-2.0-only OR MIT"])
    assert.ok(isAllowedLicence(allowed), allowed);
  for (const refused of [undefined, "", "GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT AND (GPL-2.0-only OR ISC))"])
    assert.ok(!isAllowedLicence(refused), refused);
});
