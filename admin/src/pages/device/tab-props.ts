import type { Schemas } from "../../api/client.ts";

/** What the tabs of a device show, and the version in which they change it. */
export interface TabProps {
  device: Schemas["Device"];
  etag: string;
}
