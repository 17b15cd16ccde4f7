import type { Value } from "../../../phrase.ts";

/** The texts of provisioning. */
export const t = {
  provisioning: "Provisioning (SCIM)",
  theIdentityProviderKeeps: "The identity provider creates, changes and deactivates users.",
  thereIsNoToken: "There is no token: no provider keeps users here.",
  address: "Address for the provider",
  token: "Provisioning token",
  makeToken: "Make token",
  makeAToken: "Make a token",
  replaceToken: "Replace token",
  replaceTheToken: "Replace the token?",
  theFormerTokenStops: "The former token stops immediately. Enter the new one at the provider.",
  itLetsTheProvider: "Whoever has it can create, change and delete users of this tenant.",
  theNewToken: "The new token",
  iHaveCopiedIt: "I have copied it",
  removeToken: "Remove token",
  removeTheToken: "Remove the token?",
  theTokenIsRemoved: "The token is removed.",
  usersAndGroupsStay: "It stops immediately. Users and groups stay as they are.",
  noGroupYet: "The provider has sent no group yet",
  theProviderSendsThem: "A group of the provider can stand for a role and for groups here.",
  groups: "Groups of the provider",
  groupOfTheProvider: "Group of the provider",
  members: "Members",
  change: "Change",
  noRole: "None",
  whatStandsFor: (name: Value) => `Meaning of ${name}`,
  theMembersGetIt:
    "Its members get the role and join the groups. Of several roles the highest counts; the last administrator keeps the role.",
};
