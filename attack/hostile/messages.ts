/** What the thread of an assault posts when it is under way; after it comes what was done. */
export const BEGUN = "begun";
