import type { Attribute } from "./attributes.ts";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
export const USER_SCHEMA = `${CORE}:User`;
export const GROUP_SCHEMA = `${CORE}:Group`;
export const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
export const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: "string",
  description,
  ...more,
});

/** An identifier of the provider, an attribute of every resource (RFC 7643 3.1). */
const EXTERNAL_ID = text("externalId", "The identifier of the resource at the provider", { caseExact: true });

const userAttributes: readonly Attribute[] = [
  text("userName", "The name of the user at the provider", { required: true, uniqueness: "server" }),
  {
    name: "name",
    type: "complex",
    description: "The parts of the name",
    subAttributes: [
      text("formatted", "The whole name"),
      text("familyName", "The family name"),
      text("givenName", "The given name"),
    ],
  },
  text("displayName", "The name that Muster shows"),
  {
    name: "emails",
    type: "complex",
    multiValued: true,
    required: true,
    description: "The primary address, or else the first one, is that of the account; by default it is userName",
    subAttributes: [
      text("value", "The address", { required: true }),
      text("type", "What the address is for"),
      { name: "primary", type: "boolean", description: "Whether it is the address of the account" },
    ],
  },
  { name: "active", type: "boolean", description: "Whether the user may sign in; true by default" },
  {
    name: "groups",
    type: "complex",
    multiValued: true,
    mutability: "readOnly",
    description: "The groups of the user",
    subAttributes: [
      text("value", "The id of the group", { mutability: "readOnly" }),
      {
        name: "$ref",
        type: "reference",
        description: "Its address",
        mutability: "readOnly",
        referenceTypes: ["Group"],
      },
      text("display", "Its name", { mutability: "readOnly" }),
    ],
  },
];

const groupAttributes: readonly Attribute[] = [
  text("displayName", "The name of the group", { required: true, uniqueness: "server" }),
  {
    name: "members",
    type: "complex",
    multiValued: true,
    description: "The users in the group",
    subAttributes: [
      text("value", "The id of the user", { mutability: "immutable" }),
      {
        name: "$ref",
        type: "reference",
        description: "The address",
        mutability: "immutable",
        referenceTypes: ["User"],
      },
    ],
  },
];

/** The attributes of users and groups that requests may carry. */
export const USER_ATTRIBUTES: readonly Attribute[] = [EXTERNAL_ID, ...userAttributes];
export const GROUP_ATTRIBUTES: readonly Attribute[] = [EXTERNAL_ID, ...groupAttributes];

function described(attribute: Attribute): object {
  const { subAttributes, referenceTypes, ...plain } = attribute;
  return {
    multiValued: false,
    required: false,
    caseExact: attribute.type === "reference",
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
    ...plain,
    ...(referenceTypes && { referenceTypes }),
    ...(subAttributes && { subAttributes: subAttributes.map(described) }),
  };
}

const resource = (kind: string, id: string, location: string) => ({ meta: { resourceType: kind, location }, id });

function schema(base: string, id: string, name: string, attributes: readonly Attribute[]) {
  return {
    schemas: [`${CORE}:Schema`],
    ...resource("Schema", id, `${base}/Schemas/${id}`),
    name,
    description: name,
    attributes: attributes.map(described),
  };
}

function resourceType(base: string, name: string, endpoint: string, schemaId: string) {
  const location = `${base}/ResourceTypes/${name}`;
  return {
    schemas: [`${CORE}:ResourceType`],
    ...resource("ResourceType", name, location),
    name,
    endpoint,
    schema: schemaId,
  };
}

/**
 * Returns what `/Schemas`, `/ResourceTypes` and `/ServiceProviderConfig` describe.
 *
 * @param base the address of the API
 */
export function descriptionsOf(base: string, mostResults: number) {
  return {
    schemas: [schema(base, USER_SCHEMA, "User", userAttributes), schema(base, GROUP_SCHEMA, "Group", groupAttributes)],
    resourceTypes: [
      resourceType(base, "User", "/Users", USER_SCHEMA),
      resourceType(base, "Group", "/Groups", GROUP_SCHEMA),
    ],
    config: {
      schemas: [`${CORE}:ServiceProviderConfig`],
      meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: mostResults },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [
        {
          type: "oauthbearertoken",
          name: "Bearer token",
          description: "The token of the tenant (RFC 6750)",
          primary: true,
        },
      ],
    },
  };
}
