import { z } from "zod";
import { accessUseCases } from "../../../access/access.ts";
import { records } from "../../../lib/limits/records.ts";
import { adminRoute } from "../../route.ts";
import { id, page, paging } from "../../shapes.ts";

export const listPeople = adminRoute({
  useCase: accessUseCases.listPeople,
  operationId: "listPeople",
  method: "GET",
  path: "/api/admin/people",
  tag: "On call",
  summary: "List the people of the tenant",
  description: "Active users by address, who can be added to shifts and groups or assigned to tickets.",
  query: z.strictObject({
    q: z
      .string()
      .max(records.searchCharacters.value)
      .optional()
      .meta({ description: "Part of the e-mail address or the name, ignoring case" }),
    ...paging(50, 500),
  }),
  status: 200,
  response: page(
    z
      .strictObject({
        id,
        email: z.string(),
        name: z.string().nullable(),
        role: z.enum(["admin", "operator", "viewer"]),
      })
      .meta({ id: "Person" }),
  ),
  errors: [],
  examples: {
    response: {
      items: [
        {
          id: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
          email: "ada@acme.example",
          name: "Ada Lovelace",
          role: "operator",
        },
      ],
      total: 1,
      skip: 0,
      limit: 50,
    },
  },
  handler: (caller, { query }, listPeople) => listPeople(caller, query),
});
