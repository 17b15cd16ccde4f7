import { sql } from "kysely";
import { miscountedBlocks } from "../lists/miscounted-blocks.ts";
import type { Check } from "./check-store.ts";

/** API keys, the triggers that guard tables, and counted lists. */
export const STORAGE_INVARIANTS: readonly Check[] = [
  {
    name: "every API key that is not revoked belongs to an active user of its tenant",
    violations: () => sql`SELECT 'API key ' || k.id AS what FROM api_keys k JOIN users u ON u.id = k.user_id
      WHERE k.revoked_at IS NULL AND (u.status <> 'active' OR u.deleted_at IS NOT NULL OR u.tenant_id <> k.tenant_id)`,
  },
  {
    name: "the triggers that keep audit, revocations and ticket history unchanged are enabled",
    violations: () => sql`SELECT 'trigger ' || required || ' is missing or disabled' AS what
      FROM unnest(ARRAY['certificate_audit_grows', 'certificates_stay_revoked', 'ticket_history_grows']) required
      WHERE NOT EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgname = required AND t.tgenabled IN ('O', 'A'))`,
  },
  {
    name: "stored list counts match the rows",
    violations: miscountedBlocks,
  },
];
