import { read } from "./read.ts";

/** Whether the service waits for its first administrator. */
export const setUpQuery = read("/api/admin/setup");
