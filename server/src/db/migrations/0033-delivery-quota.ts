/**
 * Messages a minute are a quota, so that what a tenant has used of it is counted with the others. Two functions of triggers get names
 * that say what they do; triggers refer to functions by their identity.
 */
export const deliveryQuota = `
CREATE VIEW shared_delivery_minutes AS SELECT tenant_id, minute, others FROM delivery_minutes;
ALTER FUNCTION note_shared_key() RENAME TO record_shared_key;
ALTER FUNCTION tell_retention() RENAME TO notify_retention;
`;
