import { sql } from "kysely";
import { miscountedBlocks } from "../lists/miscounted-blocks.ts";
import type { Check } from "./check-store.ts";

/** Invariants of API keys, the triggers that guard tables, retained messages, and counted lists. */
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
    name: "every retained message has a publisher that may publish to its topic",
    violations: () => sql`SELECT 'topic ' || r.topic AS what FROM retained_messages r
      WHERE NOT EXISTS (SELECT 1 FROM certificates c
              WHERE c.device_uid = r.owner_id AND c.revoked_at IS NULL AND r.topic = ANY (c.publish_topics))
        AND NOT EXISTS (SELECT 1 FROM mqtt_clients m
              WHERE m.id = r.owner_id AND m.disabled_at IS NULL AND r.topic = ANY (m.publish_topics))`,
  },
  {
    name: "stored list counts match the rows",
    violations: miscountedBlocks,
  },
];
