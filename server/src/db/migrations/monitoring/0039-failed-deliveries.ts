/** Of many messages few have failed, and these are asked for. */
export const failedDeliveries = `
CREATE INDEX deliveries_failed ON deliveries (tenant_id, id) WHERE state = 'failed';
`;
