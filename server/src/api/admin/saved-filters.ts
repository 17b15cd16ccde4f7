import { z } from "zod";
import { accessUseCases, FILTERED_LISTS } from "../../access/access.ts";
import { records } from "../../lib/limits/records.ts";
import { adminRoute } from "../route.ts";
import { id, idParams, label } from "../shapes.ts";

const TAG = "Session";

const list = z.enum(FILTERED_LISTS).meta({ description: "The list that it filters" });
const values = z
  .record(z.string().min(1).max(64), z.string().max(records.searchCharacters.value))
  .refine((fields) => Object.keys(fields).length <= records.fieldsOfFilter.value, "has too many fields")
  .meta({ description: "The fields of the filter by name, as in the screen's address" });

const savedFilter = z.strictObject({ id, list, name: z.string(), values }).meta({ id: "SavedFilter" });

const EXAMPLE = {
  id: "0199c1cb-0000-7a11-9c22-5e6f7a8b9c0d",
  list: "devices",
  name: "Pumps that are offline",
  values: { q: "pump", connectivity: "offline" },
};
const { id: _, ...NEW } = EXAMPLE;

export const listFilters = adminRoute({
  useCase: accessUseCases.listFilters,
  operationId: "listFilters",
  method: "GET",
  path: "/api/admin/filters",
  tag: TAG,
  summary: "List your saved filters",
  description: "The signed-in user's own filters of a list, by name.",
  query: z.strictObject({ list }),
  status: 200,
  response: z.strictObject({ items: z.array(savedFilter) }).meta({ id: "SavedFilters" }),
  errors: [],
  examples: { response: { items: [EXAMPLE] } },
  handler: async (caller, { query }, listFilters) => ({ items: await listFilters(caller, query.list) }),
});

export const saveFilter = adminRoute({
  useCase: accessUseCases.saveFilter,
  operationId: "saveFilter",
  method: "POST",
  path: "/api/admin/filters",
  tag: TAG,
  summary: "Save a filter",
  description: "The name must differ from the user's other filters of the list.",
  body: z.strictObject({ list, name: label(), values }).meta({ id: "FilterCreate" }),
  status: 201,
  response: savedFilter,
  errors: ["already_exists"],
  examples: { body: NEW, response: EXAMPLE },
  handler: (caller, { body }, saveFilter) => saveFilter(caller, body),
});

export const renameFilter = adminRoute({
  useCase: accessUseCases.renameFilter,
  operationId: "renameFilter",
  method: "PATCH",
  path: "/api/admin/filters/{id}",
  tag: TAG,
  summary: "Rename a saved filter",
  description: "Renames one of the signed-in user's own filters.",
  params: idParams,
  body: z.strictObject({ name: label() }).meta({ id: "FilterName" }),
  status: 200,
  response: savedFilter,
  errors: ["not_found", "already_exists"],
  examples: { body: { name: EXAMPLE.name }, response: EXAMPLE },
  handler: (caller, { params, body }, renameFilter) => renameFilter(caller, params.id, body.name),
});

export const deleteFilter = adminRoute({
  useCase: accessUseCases.deleteFilter,
  operationId: "deleteFilter",
  method: "DELETE",
  path: "/api/admin/filters/{id}",
  tag: TAG,
  summary: "Delete a saved filter",
  description: "Deletes one of the signed-in user's own filters. Deleting an unknown filter changes nothing.",
  params: idParams,
  status: 204,
  errors: [],
  examples: {},
  handler: (caller, { params }, deleteFilter) => deleteFilter(caller, params.id),
});
