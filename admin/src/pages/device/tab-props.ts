import type { Schemas } from "../../api/client.ts";

/** The device of the tabs, with its version. */
export interface TabProps {
  device: Schemas["Device"];
  etag: string | undefined;
}
