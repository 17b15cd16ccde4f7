import { base32Lower, type Ids } from "../lib/ids.ts";
import { requestJson } from "./public-api.ts";
import type { DemoService } from "./service.ts";

/** The random bytes of the password, which has 16 letters and digits. */
const PASSWORD_BYTES = 10;

interface FirstAdmin {
  tenantName: string;
  tenantSlug: string;
  email: string;
}

/**
 * Sets up the service as its first admin does in the browser, with the one-time link that opens the admin app.
 *
 * @returns the admin's password, which is generated here and stored nowhere
 */
export async function setUpService(
  { command, baseUrl, ca }: DemoService,
  admin: FirstAdmin,
  ids: Pick<Ids, "bytes">,
): Promise<string> {
  const { url } = await command("setup-link", {});
  const token = new URL(String(url)).hash.slice(1);
  const password = drawPassword(ids);
  const answer = await requestJson(`${baseUrl}/api/admin/setup`, {
    method: "POST",
    ca,
    headers: { origin: baseUrl },
    body: { token, ...admin, password },
  });
  if (answer.status !== 201) throw new Error(`the set-up: ${answer.status} ${JSON.stringify(answer.body)}`);
  return password;
}

/** Generates a password in groups of four characters, so that it is easy to type. */
function drawPassword(ids: Pick<Ids, "bytes">): string {
  return base32Lower(ids.bytes(PASSWORD_BYTES)).match(/.{4}/g)!.join("-");
}
