/** Where a message waits: in the queue of one tenant's messages to one address. */
export interface Place {
  tenantId: string;
  /** Unique over all tenants and channels. */
  queue: string;
}
