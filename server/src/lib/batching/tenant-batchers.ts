import { RequestBatcher, type RequestBatcherOptions } from "./request-batcher.ts";

/** Keeps a batcher per tenant with pending requests, so that no tenant waits for another tenant's locks. */
export class TenantBatchers<Request, Answer> {
  readonly #optionsOf: (tenantId: string) => RequestBatcherOptions<Request, Answer>;
  readonly #tenants = new Map<string, { batcher: RequestBatcher<Request, Answer>; running: number }>();

  constructor(optionsOf: (tenantId: string) => RequestBatcherOptions<Request, Answer>) {
    this.#optionsOf = optionsOf;
  }

  async ask(tenantId: string, request: Request): Promise<Answer> {
    const tenant = this.#tenants.get(tenantId) ?? {
      batcher: new RequestBatcher(this.#optionsOf(tenantId)),
      running: 0,
    };
    this.#tenants.set(tenantId, tenant);
    tenant.running++;
    try {
      return await tenant.batcher.ask(request);
    } finally {
      if (--tenant.running === 0) this.#tenants.delete(tenantId);
    }
  }
}
