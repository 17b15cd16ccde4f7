import { RequestBatcher, type RequestBatcherOptions } from "./request-batcher.ts";

/** A batcher for each tenant that has requests: they never wait for locks that another tenant's wait for. */
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
