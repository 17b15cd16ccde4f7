/** Users save the filters of lists under names; anomalies are listed by their threshold pack. */
export const savedFilters = `
CREATE TABLE saved_filters (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  user_id uuid NOT NULL REFERENCES users,
  list text NOT NULL,
  name text NOT NULL,
  values jsonb NOT NULL
);
CREATE UNIQUE INDEX saved_filters_names ON saved_filters (user_id, list, lower(name));
CREATE INDEX anomalies_listed_by_threshold ON anomalies (tenant_id, threshold_id, id);
`;
