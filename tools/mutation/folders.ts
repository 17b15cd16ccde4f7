/** The folders whose rules are tested by mutants. */
export interface Folder {
  /** Globs of the files that are changed. */
  files: readonly string[];
  /** Globs left out: SQL and what only runs with a database, which tests through the front door cover. */
  without: readonly string[];
  /** Globs of the unit tests: they need neither a server nor a database. */
  tests: readonly string[];
}

export const FOLDERS: Readonly<Record<string, Folder>> = {
  pki: {
    files: ["server/src/pki/**/*.ts"],
    without: ["server/src/pki/test-support/**"],
    tests: ["server/src/pki/**/*.test.ts"],
  },
  rules: {
    files: [
      "server/src/rules/{evaluate-batch,evaluate-rule,rule-text,rule}.ts",
      "server/src/rules/packs/rule-identity.ts",
    ],
    without: [],
    tests: ["server/src/rules/**/*.test.ts"],
  },
  policy: {
    files: ["server/src/broker/policy/*.ts"],
    without: [],
    tests: ["server/src/broker/policy/*.test.ts"],
  },
  codec: {
    files: ["server/src/broker/codec/*.ts"],
    without: [],
    tests: ["server/test/broker/codec/{codec,codec-5,frames,vectors}.test.ts"],
  },
  access: {
    files: [
      "server/src/access/{bind,caller,errors,is-admitted,password,step-up,use-case}.ts",
      "server/src/access/keys/{api-key,base62,scope-roles,scopes}.ts",
      "server/src/access/quotas/refusals.ts",
    ],
    without: [],
    tests: ["server/src/access/**/*.test.ts"],
  },
};
