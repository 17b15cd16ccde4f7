/**
 * Use cases on the caller's own records, such as a user's quiet hours. The shell cannot run them because it is no user.
 */
export const OWN: ReadonlySet<string> = new Set([
  "access.listFilters",
  "access.changeProfile",
  "access.saveFilter",
  "access.renameFilter",
  "access.deleteFilter",
  "notifications.offerDuty",
  "notifications.agreeToOffer",
  "notifications.withdrawOffer",
  "notifications.listOwnDuties",
  "notifications.listOwnAbsences",
  "notifications.createOwnAbsence",
  "notifications.endOwnAbsence",
  "notifications.listFeeds",
  "notifications.createFeed",
  "notifications.deleteFeed",
  "notifications.getOwnNotifications",
  "notifications.setOwnNotifications",
  "notifications.addOwnChannel",
  "notifications.removeOwnChannel",
  "notifications.addOwnPush",
  "notifications.testOwnNotifications",
  "notifications.listOwnTests",
]);

/** Use cases on the caller's own key. */
export const OWN_KEY: ReadonlySet<string> = new Set(["access.getOwnKey", "access.rotateOwnKey"]);

/** Use cases that ask an identity provider, which only the tests of single sign-on have. */
export const ASKS_PROVIDER: ReadonlySet<string> = new Set([
  "identity.startProviderTest",
  "identity.completeProviderTest",
]);
