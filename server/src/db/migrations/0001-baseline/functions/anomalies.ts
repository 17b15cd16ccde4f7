/** Rules for anomalies, whichever feature writes them. */
export const anomaliesFunctions = `
-- The pack must exist when the anomaly opens, and until the commit, but not afterwards: a foreign key would say more.
CREATE FUNCTION anomaly_has_pack() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM thresholds t WHERE t.id = NEW.threshold_id AND t.tenant_id = NEW.tenant_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the tenant has no threshold pack %', NEW.threshold_id USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER anomalies_have_packs AFTER INSERT ON anomalies
  FOR EACH ROW WHEN (NEW.threshold_id IS NOT NULL) EXECUTE FUNCTION anomaly_has_pack();

-- The next fault is a new anomaly.
CREATE FUNCTION refuse_unresolve() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a resolved anomaly stays resolved' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER anomalies_stay_resolved BEFORE UPDATE OF status ON anomalies
  FOR EACH ROW WHEN (OLD.status = 'resolved' AND NEW.status <> 'resolved') EXECUTE FUNCTION refuse_unresolve();
`;
