import { inApp } from "../../in-app.ts";
import * as specified from "../../v1/paging/maintenance-windows.ts";

export const listMaintenanceWindows = inApp(specified.listMaintenanceWindows, {
  description:
    "Planned, current and, for 30 days, ended windows, newest first. Users other than admins see those of all devices, of device types, of their groups, and of devices that they see.",
});
export const createMaintenanceWindow = inApp(specified.createMaintenanceWindow);
export const endMaintenanceWindow = inApp(specified.endMaintenanceWindow);
export const extendMaintenanceWindow = inApp(specified.extendMaintenanceWindow);
export const deleteMaintenanceWindow = inApp(specified.deleteMaintenanceWindow);
