/**
 * An anomaly that opened and was resolved within one batch is resolved from its first row on. No page was planned for it and its opening
 * was not sent, so its event does not enter the notification inbox.
 */
export const transientAnomalies = `
CREATE OR REPLACE TRIGGER events_notified AFTER INSERT ON events FOR EACH ROW
  WHEN (NEW.changed_table IN ('anomalies', 'device_findings', 'connection_refusals')
    AND NOT (NEW.changed_table = 'anomalies' AND NEW.operation = 'INSERT' AND NEW.changed_row->>'status' = 'resolved'))
  EXECUTE FUNCTION enter_notification_inbox();
`;
