import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import type { DevicesDeps } from "../deps.ts";
import { countMetadataFields, type MetadataField } from "./metadata-field-store.ts";

/**
 * Lists the fields in the metadata of the newest 5,000 devices that the caller sees, most frequent first, at most 100.
 */
export const listMetadataFields = useCase(
  { role: "viewer" },
  async ({ database }: DevicesDeps, caller): Promise<MetadataField[]> =>
    await countMetadataFields(database.db, caller.tenantId, boundedToGroupsOf(caller)),
);
