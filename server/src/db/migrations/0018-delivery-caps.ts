/** How many messages a tenant has had accepted in the current minute, exact over processes, and how many were suppressed. */
export const deliveryCaps = `
CREATE TABLE delivery_minutes (
  tenant_id uuid PRIMARY KEY REFERENCES tenants,
  minute timestamptz NOT NULL,
  critical_to_channels integer NOT NULL DEFAULT 0,
  others integer NOT NULL DEFAULT 0
);
-- Reported to the tenant's admins and removed when the minute is over.
CREATE TABLE suppressed_deliveries (
  tenant_id uuid NOT NULL REFERENCES tenants,
  minute timestamptz NOT NULL,
  suppressed integer NOT NULL,
  PRIMARY KEY (tenant_id, minute)
);
CREATE INDEX suppressed_deliveries_by_age ON suppressed_deliveries (minute);
`;
