/** Notifications that say which pack changed. */
export const changedPacks = `
-- Processes that ingest forget the pack, and what they know of devices that have it. Those of the version before listen for '' only: every device.
CREATE FUNCTION notify_pack_changed(pack uuid) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('muster_packs', pack::text);
  SELECT pg_notify('muster_rules', '') WHERE EXISTS (SELECT FROM broker_nodes n WHERE n.schema_number < 62);
$$;

CREATE OR REPLACE FUNCTION pack_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_pack_changed(NEW.id);
  PERFORM resolve_unevaluated(NULL, NEW.id, NEW.updated_at, CASE WHEN NEW.enabled THEN 'rule_changed' ELSE 'pack_disabled' END);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION pack_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_pack_changed(OLD.id);
  PERFORM resolve_unevaluated(NULL, OLD.id, OLD.updated_at, 'pack_deleted');
  RETURN NULL;
END $$;
`;
