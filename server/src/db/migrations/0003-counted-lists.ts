export const countedLists = `SELECT 1`;
