import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TopicAliases } from "./topic-aliases.ts";

test("a broker that tracks the aliases sees the topic of every message, and no alias above its maximum", () => {
  const topics = fc.array(fc.constantFrom("t/a", "t/acme/b", "t/acme/c", "t/acme/d", "t/acme/e"));
  fc.assert(
    fc.property(fc.nat(4), topics, (maximum, sent) => {
      const aliases = new TopicAliases(maximum);
      const known = new Map<number, string>();
      for (const topic of sent) {
        const { topic: named, properties } = aliases.name(topic);
        const alias = properties?.topicAlias;
        assert.ok(alias === undefined || (alias >= 1 && alias <= maximum));
        if (alias !== undefined && named !== "") known.set(alias, named);
        assert.equal(named === "" ? known.get(alias!) : named, topic);
      }
    }),
  );
});
