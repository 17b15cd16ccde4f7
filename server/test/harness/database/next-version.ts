import { type Migration, migrations } from "../../../src/db/migrations/index.ts";

/** Steps of a version after this one, which expand the schema as docs/database.md asks. */
export const PLANTED: readonly Migration[] = [
  {
    number: migrations.length + 1,
    name: "planted columns",
    sql: `
CREATE TABLE planted_notes (device_uid uuid PRIMARY KEY, note text NOT NULL);
ALTER TABLE devices ADD COLUMN planted_note text NOT NULL DEFAULT 'none';
ALTER TABLE roll_up_marks ADD COLUMN planted_at timestamptz;
-- Both versions write devices: the trigger serves the one that does not know the new table.
CREATE FUNCTION plant_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO planted_notes VALUES (NEW.uid, NEW.planted_note) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER devices_planted AFTER INSERT ON devices FOR EACH ROW EXECUTE FUNCTION plant_note();
`,
  },
  plantedIndexes(),
];

/** Indexes of tables with rows, which PostgreSQL builds before the step. */
function plantedIndexes(): Migration {
  const indexes = [
    "planted_deliveries ON deliveries (tenant_id, attempts, id)",
    "planted_tickets ON tickets (tenant_id, title, id)",
  ];
  const sql = indexes.map((index) => `CREATE INDEX IF NOT EXISTS ${index};\n`).join("");
  return { number: migrations.length + 2, name: "planted indexes", indexes, sql };
}

/** Every step of the next version. */
export const nextMigrations: readonly Migration[] = [...migrations, ...PLANTED];
