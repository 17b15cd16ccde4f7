import { read } from "./read.ts";

export const overviewQuery = read("/api/admin/overview");
/** The records whose name contains the text, for the palette. */
export const searchQuery = (q: string) => read("/api/admin/search", { query: { q } });
