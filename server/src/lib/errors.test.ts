import assert from "node:assert/strict";
import { test } from "node:test";
import { MusterError, sentence } from "./errors.ts";

test("the message of an error is a full sentence, however it is written in the code", () => {
  for (const [text, detail, said] of [
    ["There is no such group.", undefined, "There is no such group."],
    ["there is a device of this id already", "pump-1", "There is a device of this id already."],
    ["a key: take another!", undefined, "A key: take another!"],
    ["limit must be a whole number", "limit", "limit must be a whole number."],
    ["dueAt must lie in the years 1970 to 9999", undefined, "dueAt must lie in the years 1970 to 9999."],
    ["rules.0.value must be a number", undefined, "rules.0.value must be a number."],
    ["e-mail is off", undefined, "e-mail is off."],
  ] as const) {
    assert.equal(sentence(text, detail), said);
    assert.equal(new MusterError("x", text, detail === undefined ? {} : { detail }).message, said);
  }
});
