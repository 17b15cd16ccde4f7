/**
 * The import table: which folder of `server/src` may import from which. ARCHITECTURE.md explains it, `npm run check`
 * enforces it, and `tools/fixtures/planted/` proves that. A commit that moves a folder moves its row.
 *
 * Type-only imports count like any other: a type is a dependency too.
 */

const FLOOR = ["db", "lists", "lib"];
const FEATURES = [
  "authorities",
  "access",
  "audit",
  "certificates",
  "devices",
  "groups",
  "connections",
  "commands",
  "enrollment",
  "identity",
  "scim",
  "events",
  "live",
  "telemetry",
  "anomalies",
  "rules",
  "notifications",
  "tickets",
  "overview",
  "platform",
];

export const table = {
  /**
   * Folder (or top-level file) of `server/src` → the places it may import from. `*` is everything. A folder may always
   * import itself. A folder without a row is an error, so that no new one goes unnoticed.
   */
  imports: {
    main: ["*"],
    app: ["*"],
    features: ["*"],
    workers: ["*"],
    process: ["features", "authorities", "db", "lib"],
    greeting: [],
    "set-up-link-file": [],
    "show-set-up-link": ["lib", "set-up-link-file"],
    cli: ["config", "control", "demo", "lib", "main", "mcp", "plant"],
    demo: ["control", "pki", "lib"],
    mcp: ["lib"],
    plant: ["lib"],

    api: [...FEATURES, "lib", "mcp", "plant"],
    broker: [...FEATURES, "lib"],
    control: [...FEATURES, "backup", "doctor", "lib"],

    backup: [
      "access",
      "audit",
      "authorities",
      "certificates",
      "commands",
      "connections",
      "enrollment",
      "identity",
      "notifications",
      "scim",
      ...FLOOR,
    ],
    doctor: FLOOR,

    enrollment: [
      "telemetry",
      "commands",
      "certificates",
      "pki",
      "authorities",
      "devices",
      "groups",
      "connections",
      "access",
      "audit",
      ...FLOOR,
    ],
    overview: [
      "tickets",
      "rules",
      "anomalies",
      "enrollment",
      "authorities",
      "certificates",
      "connections",
      "devices",
      "groups",
      "notifications",
      "access",
      ...FLOOR,
    ],
    tickets: ["anomalies", "devices", "access", "audit", ...FLOOR],
    platform: ["access", "authorities", "certificates", "audit", "doctor", ...FLOOR],
    live: ["events", "telemetry", "access", "lib"],
    notifications: ["groups", "anomalies", "events", "certificates", "devices", "access", ...FLOOR],
    rules: ["anomalies", "telemetry", "certificates", "devices", "access", "audit", ...FLOOR],
    anomalies: ["telemetry", "devices", "access", "audit", ...FLOOR],
    telemetry: ["devices", "connections", "access", "audit", ...FLOOR],
    commands: ["devices", "access", "audit", ...FLOOR],
    connections: ["certificates", "devices", "access", "audit", ...FLOOR],
    certificates: ["pki", "devices", "access", "audit", ...FLOOR],
    devices: ["access", "audit", ...FLOOR],
    groups: ["access", "audit", ...FLOOR],
    scim: ["groups", "access", "audit", ...FLOOR],
    identity: ["groups", "access", "audit", ...FLOOR],
    access: ["audit", ...FLOOR],
    authorities: ["pki", "audit", ...FLOOR],
    audit: FLOOR,
    events: ["anomalies", "access", ...FLOOR],

    pki: ["lib"],
    lists: ["db", "lib"],
    db: ["lib"],
    config: ["lib"],
    lib: [],
  } as Record<string, string[]>,

  /** Folders that other folders import only through `<folder>/<folder>.ts` (the facade) or `<folder>/errors.ts`. */
  facades: [...FEATURES, "backup", "doctor", "pki"],

  /**
   * Folder inside a place → the only others of that place that may import it. Code that answers requests does not
   * depend on the API descriptions: they are derived from it, and the composition root mounts them.
   */
  leaves: { "api/openapi/": ["api/mcp/", "api/reference/"], "api/reference/": [] } as Record<string, string[]>,

  /**
   * Where SQL may be written: a place is a folder (`db/`), a file (`app.ts`) or a suffix (`*-store.ts`). The
   * composition root is included because it opens the database. All other code may import only types of `db/`.
   */
  sqlPlaces: ["db/", "lists/", "*-store.ts", "app.ts"],

  /**
   * Values of `db/` that a use case may import nevertheless: they carry transactions, statements and clean-ups of
   * stores, but contain no SQL.
   */
  dbValuesForUseCases: ["db/prune.ts", "db/refusal.ts", "db/statement.ts", "db/transaction.ts"] as string[],

  /** Query builder calls that write SQL, wherever the handle came from. */
  queryBuilderCalls: [
    "selectFrom",
    "insertInto",
    "updateTable",
    "deleteFrom",
    "mergeInto",
    "replaceInto",
    "executeQuery",
  ],

  /** Package → the only places that may import it. Packages that are not named here are unrestricted. */
  packages: {
    zod: ["api/", "config/", "control/", "plant/"],
    kysely: ["db/", "lists/", "*-store.ts", "app.ts"],
    pg: ["db/"],
    "@electric-sql/pglite": ["db/"],
    fastify: ["api/"],
    "@peculiar/x509": ["pki/"],
    nodemailer: ["notifications/"],
    commander: ["cli/"],
    "@modelcontextprotocol/sdk": ["mcp/"],
    pino: ["lib/"],
    "ipaddr.js": ["lib/"],
    "@muster/agent": ["demo/"],
  } as Record<string, string[]>,

  /**
   * Uses of the clock, chance or the environment → the only places that may read them: all other code takes them as
   * arguments.
   */
  constructs: {
    time: ["lib/clock.ts"],
    chance: ["lib/ids.ts"],
    environment: ["config/"],
  },
};

export type Table = typeof table;
