import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { about, type Bom, problemsOf, withComponent } from "./bom.ts";
import { type Lock, lockedDependencies } from "./locked.ts";

const component = (name: string, license?: string) => {
  const licenses = license === undefined ? {} : { licenses: [{ license: { id: license } }] };
  return { type: "library", name, version: "1.0.0", "bom-ref": name, ...licenses };
};

/** Returns a document of the repository, whose part `agent` needs `mqtt`. */
function bomOf(...licences: (string | undefined)[]): Bom {
  const [mqtt, agent] = [component("mqtt", licences[0]), component("agent", "Apache-2.0")];
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    metadata: { component: component("repository", "Apache-2.0") },
    components: [mqtt, agent],
    dependencies: [{ ref: "repository", dependsOn: ["agent"] }, { ref: "agent", dependsOn: ["mqtt"] }, { ref: "mqtt" }],
  };
}

test("a document that lists exactly the shipped packages with allowed licences has no problem", () => {
  assert.deepEqual(problemsOf(bomOf("MIT"), new Set(["mqtt@1.0.0"]), new Set(["agent"])), []);
});

test("a missing package, an unexpected one, and a licence that is absent or not allowed are problems", () => {
  const problems = (bom: Bom, ...shipped: string[]) => problemsOf(bom, new Set(shipped), new Set(["agent"]));
  assert.deepEqual(problems(bomOf("MIT"), "mqtt@1.0.0", "ws@8.0.0"), ["ws@8.0.0 is missing"]);
  assert.deepEqual(problems(bomOf("MIT")), ["mqtt@1.0.0 is listed, and not a dependency"]);
  assert.match(problems(bomOf("AGPL-3.0-only"), "mqtt@1.0.0").join(), /^mqtt@1.0.0 has no allowed licence: .*AGPL/);
  assert.match(problems(bomOf(undefined), "mqtt@1.0.0").join(), /^mqtt@1.0.0 has no allowed licence: \[\]$/);
});

test("a document about a part names it in place of the repository", () => {
  const bom = about(bomOf("MIT"), "agent");
  assert.equal(bom.metadata.component.name, "agent");
  assert.deepEqual([bom.components.map(({ name }) => name), bom.dependencies[0]!.ref], [["mqtt"], "agent"]);
});

test("an added component is a dependency of the whole", () => {
  const bom = withComponent(bomOf("MIT"), component("node", "MIT"));
  assert.deepEqual(bom.dependencies[0], { ref: "repository", dependsOn: ["agent", "node"] });
  assert.ok(bom.dependencies.some(({ ref }) => ref === "node"));
});

test("the runtime dependencies of a workspace are those of the lock file, without development's", () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, "../../../package-lock.json"), "utf8")) as Lock;
  const names = (...workspaces: string[]) =>
    [...lockedDependencies(lock, workspaces)].map((each) => each.slice(0, each.lastIndexOf("@")));
  assert.ok(names("agent").includes("mqtt-packet") && !names("agent").includes("fastify"));
  for (const name of ["fastify", "pg", "@electric-sql/pglite", "kysely"])
    assert.ok(names("server").includes(name), name);
  assert.ok(names("admin").includes("react"));
  for (const name of ["typescript", "vite", "playwright-core"])
    assert.ok(!names("server", "agent", "admin").includes(name), name);
});
