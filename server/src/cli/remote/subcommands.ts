import type { Result } from "../output.ts";
import type { Api } from "./api-client.ts";

/** Runs a subcommand through the API. Body and result are those of the control socket. */
type Remote = (api: Api, body: Result) => Promise<Result>;

const MAX_PAGE = 200;
const MAX_CLAIMS = 500;
const MAX_ROWS = 10_000;

const at = (path: string, id: string) => `/${path}/${encodeURIComponent(id)}`;

/** Reads the page that a subcommand asks for, which may be larger than a page of the API. */
async function pageOf(api: Api, path: string, query: Result, most = MAX_PAGE): Promise<Result> {
  const { skip = 0, limit = MAX_ROWS, ...filter } = query;
  const items: unknown[] = [];
  for (;;) {
    const wanted = { ...filter, skip: skip + items.length, limit: Math.min(most, limit - items.length) };
    const page = await api.send<Result>({ method: "GET", path, query: wanted });
    items.push(...page.items);
    if (items.length >= limit || page.items.length === 0 || skip + items.length >= page.total)
      return { ...page, items, skip, limit };
  }
}

const get = (api: Api, path: string) => api.send<Result>({ method: "GET", path });
const post = (api: Api, path: string, body?: unknown) => api.send<Result>({ method: "POST", path, body });

/** The subcommands that the API can do, by their names on the control socket. */
export const remoteSubcommands: Readonly<Record<string, Remote>> = {
  "device.create": (api, { tenant: _, ...body }) => post(api, "/devices", body),
  "device.list": (api, { tenant: _, search, ...page }) => pageOf(api, "/devices", { ...page, q: search }),
  "device.delete": async (api, { id }) => {
    await api.send({ method: "DELETE", path: at("devices", id) });
    return { id };
  },
  "device.latest": (api, { id }) => get(api, `${at("devices", id)}/latest`),
  "device.rejected": async (api, { id }) => {
    const { items } = await get(api, `${at("devices", id)}/rejected`);
    const encoded = ({ payload, ...rest }: Result) => ({
      ...rest,
      payloadBase64: Buffer.from(payload).toString("base64"),
    });
    return { items: items.map(encoded) };
  },
  "claim.create": async (api, { tenant: _, ...body }) => {
    const { id, claimCode, expiresAt } = await post(api, "/provisioning/claims", body);
    return { id, claimCode, expiresAt, server: api.server };
  },
  "claim.list": (api, { tenant: _, ...page }) => pageOf(api, "/provisioning/claims", page, MAX_CLAIMS),
  "certificate.list": (api, { tenant: _, ...query }) => pageOf(api, "/device-certificates", query),
  "threshold.list": (api, { q }) => pageOf(api, "/thresholds", { q }),
  "refusal.list": (api, { tenant: _, ...page }) => pageOf(api, "/refusals", page),
};
