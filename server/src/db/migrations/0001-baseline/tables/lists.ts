/** Counted lists: `total` and deep pages cost the same at any length (decision 0008). */
export const listsTables = `
-- A block is the range of keys from the end of the previous block, exclusive, to "upto", inclusive. The variant is ''
-- for the whole list, otherwise the value of a filter.
CREATE TABLE list_blocks (
  tenant_id uuid NOT NULL,
  list text COLLATE "C" NOT NULL,
  variant text COLLATE "C" NOT NULL,
  upto uuid NOT NULL,
  -- NULL until it has been counted: see counts_after.
  size integer,
  -- A block is inserted first, so that writers see it. It is counted when every transaction below this number has
  -- ended: those may not have seen the block.
  counts_after xid8,
  PRIMARY KEY (tenant_id, list, variant, upto)
);
-- Most writers ask only whether any block covers a key.
CREATE INDEX list_blocks_upto ON list_blocks (tenant_id, list, upto);

-- Rows that entered (1) or left (-1) the range of a block since it was inserted.
CREATE TABLE list_changes (
  tenant_id uuid NOT NULL,
  list text COLLATE "C" NOT NULL,
  variant text COLLATE "C" NOT NULL,
  at uuid NOT NULL,
  change smallint NOT NULL
);
CREATE INDEX list_changes_at ON list_changes (tenant_id, list, variant, at);
`;
