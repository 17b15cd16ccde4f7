import { type Bound, bind } from "../access/access.ts";
import type { Unlisten } from "../db/database.ts";
import { addMs, MINUTE } from "../lib/clock.ts";
import { faultPoint } from "../lib/fault-points.ts";
import {
  type CommandRequest,
  devicesOfNew,
  pruneCommands,
  recordAcknowledged,
  takeWaiting,
  type WaitingCommands,
} from "./command-store.ts";
import type { CommandsDeps } from "./deps.ts";
import { findCommands, getCommand, listCommandHistory, listCommands } from "./list-commands.ts";
import { sendCommands } from "./many/send-commands.ts";
import { cancelCommand, sendCommand } from "./send-command.ts";

export { COMMAND_STATES, type CommandRecord, type CommandState } from "./command-record.ts";
export {
  type CommandRequest,
  deleteAllCommands,
  deleteCommandsOf,
  type WaitingCommand,
  type WaitingCommands,
} from "./command-store.ts";

export const commandUseCases = {
  sendCommand,
  sendCommands,
  cancelCommand,
  listCommands,
  listCommandHistory,
  findCommands,
  getCommand,
};

/** Messages for single devices that stay pending until their device has acknowledged them. */
export interface Commands extends Bound<typeof commandUseCases> {
  /** Returns the oldest commands to send to a device, recorded as sent. */
  waitingCommands(request: CommandRequest): Promise<WaitingCommands>;
  /** Ends a command that its device has acknowledged. Rejects if the database fails. */
  acknowledgeCommand(id: string): Promise<void>;
  /** Calls `handler` with the uid of each device for which a command is added in any process. */
  onCommand(handler: (deviceUid: string) => void): Promise<Unlisten>;
  prune(stopped?: AbortSignal): Promise<void>;
}

/** The period for which commands are read again after notifications may have been lost. */
const LOST_MS = 10 * MINUTE;

export function createCommands(deps: CommandsDeps): Commands {
  const { database, clock, logger } = deps;
  const { db } = database;
  return {
    ...bind(deps, commandUseCases),
    waitingCommands: (request) => takeWaiting(db, request, clock.now()),
    acknowledgeCommand: async (id) => {
      await faultPoint("command.acknowledge");
      await recordAcknowledged(db, [id], clock.now());
    },
    onCommand: (handler) =>
      database.listen("muster_commands", (deviceUid) => {
        if (deviceUid !== "") return handler(deviceUid);
        devicesOfNew(db, addMs(clock.now(), -LOST_MS))
          .then((found) => found.forEach(handler))
          .catch((error: Error) =>
            logger.warn({ err: error.message }, "could not read the commands of the last minutes"),
          );
      }),
    prune: (stopped) => pruneCommands(db, clock.now(), stopped),
  };
}
