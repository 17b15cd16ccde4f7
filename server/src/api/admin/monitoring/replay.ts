import { inApp } from "../../in-app.ts";
import * as specified from "../../v1/paging/replay.ts";

export const replayPaging = inApp(specified.replayPaging);
