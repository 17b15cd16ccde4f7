import type { MessageRow } from "./messages/message-rows.ts";

/** The device of a row, and its time in microseconds since 1970. */
export type RowTime = Pick<MessageRow, "deviceUid" | "time">;

/** The number of days to store a row: 0 for not at all, `undefined` for {@link DEFAULT_RETENTION_DAYS}. */
export type RowRetention = number | undefined;
