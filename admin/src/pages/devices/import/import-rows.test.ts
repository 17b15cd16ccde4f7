import assert from "node:assert/strict";
import { test } from "node:test";
import { importRows } from "./import-rows.ts";

test("cells become fields, and empty ones change nothing", () => {
  const file = importRows(
    '\uFEFFid,Name,groups,metadata.site,metadata.floor,connectivity.status\r\np-1,"Pump ""1"", hall",Hall; Yard,"a\r\nb",2,online\r\n\r\np-2,,,,,\r\n',
  );
  assert.deepEqual(file.rows, [
    { id: "p-1", name: 'Pump "1", hall', groups: ["Hall", "Yard"], metadata: { site: "a\r\nb", floor: 2 } },
    { id: "p-2" },
  ]);
  assert.deepEqual([file.ignored, file.hasKey], [["connectivity.status"], true]);
});

test("a row that names the device of an earlier row repeats it, by its id or fingerprint", () => {
  const { repeats } = importRows("id,hardwareFingerprint,name\np-1,aa,A\np-2,,B\np-1,,C\n,aa,D\n,,E\n,,F\n");
  assert.deepEqual(
    [...repeats],
    [
      [2, 0],
      [3, 0],
    ],
  );
});

test("a spreadsheet's semicolons, guarded formulas and the columns of an exported list are read", () => {
  const file = importRows('id;name;deviceTypeId;groupIds;metadata\np-1;\'=1+1;t-1;a;"{""site"":""x""}"\n');
  assert.deepEqual(file.rows, [{ id: "p-1", name: "=1+1", deviceType: "t-1", groups: ["a"], metadata: { site: "x" } }]);
  assert.equal(importRows("name\nx").hasKey, false);
  assert.deepEqual(importRows("").rows, []);
});
