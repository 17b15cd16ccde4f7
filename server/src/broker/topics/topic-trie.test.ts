import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TopicTrie } from "./topic-trie.ts";

/** The examples of MQTT 3.1.1, 4.7, word for word. */
function matches(filter: string, topic: string): boolean {
  if (topic.startsWith("$") && /^[#+]/.test(filter)) return false;
  const [wanted, levels] = [filter.split("/"), topic.split("/")];
  for (const [at, level] of wanted.entries()) {
    if (level === "#") return true;
    if (at >= levels.length || (level !== "+" && level !== levels[at])) return false;
  }
  return wanted.length === levels.length;
}

test("the examples of MQTT 3.1.1, 4.7 match as specified", () => {
  const cases: [string, string, boolean][] = [
    ["sport/tennis/player1/#", "sport/tennis/player1", true],
    ["sport/tennis/player1/#", "sport/tennis/player1/score/wimbledon", true],
    ["sport/#", "sport", true],
    ["sport/tennis/+", "sport/tennis/player1/ranking", false],
    ["sport/+", "sport", false],
    ["sport/+", "sport/", true],
    ["+/+", "/finance", true],
    ["/+", "/finance", true],
    ["+", "/finance", false],
    ["#", "$SYS/monitor/Clients", false],
    ["+/monitor/Clients", "$SYS/monitor/Clients", false],
    ["$SYS/#", "$SYS/monitor/Clients", true],
    ["$SYS/monitor/+", "$SYS/monitor/Clients", true],
  ];
  for (const [filter, topic, expected] of cases) {
    const [filters, topics] = [new TopicTrie<string>(), new TopicTrie<string>()];
    filters.set(filter, filter);
    topics.set(topic, topic);
    assert.deepEqual(filters.matchingTopic(topic), expected ? [filter] : [], `${filter} ${topic}`);
    assert.deepEqual(topics.matchingFilter(filter), expected ? [topic] : [], `${filter} ${topic}`);
  }
});

const level = fc.constantFrom("a", "b", "", "$S");
const topics = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join("/"));
const filters = fc
  .tuple(fc.array(fc.oneof(level, fc.constant("+")), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([levels, rest]) => [...levels.slice(0, rest ? -1 : undefined), ...(rest ? ["#"] : [])].join("/"));

test("after any insertions and deletions, a search agrees with comparing each filter with each topic", () => {
  const changes = fc.array(fc.tuple(fc.boolean(), filters, topics), { maxLength: 25 });
  fc.assert(
    fc.property(changes, topics, filters, (steps, topic, filter) => {
      const [byFilter, byTopic] = [new TopicTrie<string>(), new TopicTrie<string>()];
      const [hasFilter, hasTopic] = [new Set<string>(), new Set<string>()];
      for (const [isAdded, eachFilter, eachTopic] of steps) {
        for (const [trie, set, path] of [
          [byFilter, hasFilter, eachFilter],
          [byTopic, hasTopic, eachTopic],
        ] as const) {
          if (isAdded) trie.set(path, path);
          else trie.delete(path);
          if (isAdded) set.add(path);
          else set.delete(path);
        }
      }
      assert.equal(byFilter.size, hasFilter.size);
      assert.equal(byFilter.get(filter), hasFilter.has(filter) ? filter : undefined);
      assert.deepEqual(byFilter.matchingTopic(topic).sort(), [...hasFilter].filter((f) => matches(f, topic)).sort());
      assert.deepEqual(byTopic.matchingFilter(filter).sort(), [...hasTopic].filter((t) => matches(filter, t)).sort());
    }),
    { numRuns: 3_000, seed: 20261122 },
  );
});
