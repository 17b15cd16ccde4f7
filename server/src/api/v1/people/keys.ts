import { z } from "zod";
import { accessUseCases } from "../../../access/access.ts";
import { publicRoute } from "../../route.ts";
import { page, paging } from "../../shapes.ts";
import {
  KEY_EXAMPLE,
  key,
  keyFilter,
  keyRotation,
  OWN_KEY_EXAMPLE,
  ownKey,
  ROTATED_EXAMPLE,
  ROTATION,
  rotatedKey,
} from "./key-shapes.ts";

const TAG = "API keys";

export const listKeys = publicRoute({
  useCase: accessUseCases.listKeys,
  operationId: "listKeys",
  method: "GET",
  path: "/api/v1/keys",
  tag: TAG,
  summary: "List API keys",
  description: "Every key that the tenant has ever had, newest first, with the act that ended it; never a secret.",
  query: z.strictObject({ ...keyFilter, ...paging(50, 200) }),
  status: 200,
  response: page(key),
  errors: [],
  examples: { response: { items: [KEY_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listKeys) => listKeys(caller, query),
});

export const getCurrentKey = publicRoute({
  useCase: accessUseCases.getOwnKey,
  operationId: "getCurrentKey",
  method: "GET",
  path: "/api/v1/keys/current",
  tag: TAG,
  summary: "Get the key of the request",
  description: "The key in the header `X-API-Key`, without its secret: when to rotate it, and what it may do.",
  status: 200,
  response: ownKey,
  errors: [],
  examples: { response: OWN_KEY_EXAMPLE },
  handler: (caller, _input, getOwnKey) => getOwnKey(caller),
});

export const rotateCurrentKey = publicRoute({
  useCase: accessUseCases.rotateOwnKey,
  operationId: "rotateCurrentKey",
  method: "POST",
  path: "/api/v1/keys/current/rotate",
  tag: TAG,
  summary: "Replace the key of the request",
  description: ROTATION,
  body: keyRotation,
  status: 201,
  response: rotatedKey,
  errors: ["already_exists", "quota_exceeded"],
  examples: { body: { overlapHours: 24 }, response: ROTATED_EXAMPLE },
  secret: true,
  handler: (caller, { body }, rotateOwnKey) => rotateOwnKey(caller, body),
});
