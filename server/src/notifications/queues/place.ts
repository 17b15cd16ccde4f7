/** The queue of a message: one per tenant and address. */
export interface Place {
  tenantId: string;
  /** Unique across all tenants and channels. */
  queue: string;
}
