import assert from "node:assert/strict";
import { test } from "node:test";
import { csvText } from "./series-csv.ts";

test("columns with different times are one table, with empty cells", () => {
  const columns = [
    {
      title: "temperature average",
      values: new Map([
        [2000, -2.5],
        [1000, 20],
      ]),
    },
    { title: "speed average", values: new Map([[2000, 1e21]]) },
  ];
  assert.equal(
    csvText(columns),
    "time,temperature average,speed average\r\n" +
      "1970-01-01T00:00:01.000Z,20,\r\n" +
      "1970-01-01T00:00:02.000Z,-2.5,1e+21\r\n",
  );
});

test("the name of a metric is neither a formula nor a second column", () => {
  assert.equal(csvText([{ title: "=1+1", values: new Map() }]), "time,'=1+1\r\n");
  assert.equal(csvText([{ title: 'a "b", c', values: new Map() }]), 'time,"a ""b"", c"\r\n');
});
