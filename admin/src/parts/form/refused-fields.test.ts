import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../api/problem.ts";
import { refusedFields } from "./refused-fields.ts";

const VALUES = { name: "", publishTopics: "a", channels: [{ target: "x", type: "email" }], "a/b": "" };
const refusal = (body: object) => new Problem(400, { error: "invalid_request", message: "It is wrong.", ...body });
const problem = (pointer: string, message: string, place = "body") => ({ in: place, pointer, message });

test("every problem is at its field, in the words of the form", () => {
  const details = [
    problem("/name", "must be 1 to 200 characters"),
    problem("/channels/0/target", "must be an address"),
  ];
  assert.deepEqual(refusedFields(refusal({ details }), VALUES), {
    name: "It must be 1 to 200 characters.",
    "channels.0.target": "It must be an address.",
  });
});

test("a problem within a field is at the field, and the first of several stays", () => {
  const details = [problem("/publishTopics/1", "must not be empty"), problem("/publishTopics/2", "is too long")];
  assert.deepEqual(refusedFields(refusal({ details }), VALUES), { publishTopics: "It must not be empty." });
  assert.deepEqual(refusedFields(refusal({ details: [problem("/a~1b", "is wrong")] }), VALUES), {
    "a/b": "It is wrong.",
  });
});

test("a problem of no field is shown as a whole", () => {
  for (const details of [
    [problem("/id", "is wrong", "path")],
    [problem("/name", "is wrong"), problem("/other", "is wrong")],
  ])
    assert.equal(refusedFields(refusal({ details }), VALUES), undefined);
  assert.equal(refusedFields(new TypeError("x"), VALUES), undefined);
  assert.equal(refusedFields(refusal({}), VALUES), undefined);
});

test("a refusal by one field does not repeat the name of the field in the API", () => {
  const message = "Channels.0.target must be an https address.";
  const errors = refusedFields(refusal({ message, detail: "channels.0.target" }), VALUES);
  assert.deepEqual(errors, { "channels.0.target": "It must be an https address." });
});
