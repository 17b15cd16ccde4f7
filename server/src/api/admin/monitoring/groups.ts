import { groupUseCases } from "../../../groups/groups.ts";
import { adminRoute } from "../../route.ts";
import { page } from "../../shapes.ts";
import { GROUP_EXAMPLE, groupQuery, groupRecord } from "../../v1/groups.ts";

export const listGroups = adminRoute({
  useCase: groupUseCases.listGroups,
  operationId: "listGroups",
  method: "GET",
  path: "/api/admin/groups",
  tag: "Groups",
  summary: "List notification groups",
  description: "The tenant's groups, of users other than admins those that they are members of, newest first.",
  query: groupQuery,
  status: 200,
  response: page(groupRecord),
  errors: [],
  examples: { response: { items: [GROUP_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listGroups) => listGroups(caller, query),
});
