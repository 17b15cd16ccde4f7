import {
  IconAlertTriangle,
  IconArrowsLeftRight,
  IconCertificate,
  IconCpu,
  IconHome,
  IconKey,
  IconListDetails,
  IconMail,
  IconPlugConnected,
  IconPlugOff,
  IconServerCog,
  IconSettings,
  IconStack2,
  IconTicket,
  IconTool,
  IconUsers,
} from "@tabler/icons-react";
import type { ComponentType } from "react";

/** The pictures of the menu by the name that a route gives. */
export const icons: Record<string, ComponentType<{ size?: number; stroke?: number }>> = {
  home: IconHome,
  anomalies: IconAlertTriangle,
  tickets: IconTool,
  deliveries: IconMail,
  devices: IconCpu,
  refusals: IconPlugOff,
  claims: IconTicket,
  certificates: IconCertificate,
  types: IconStack2,
  clients: IconPlugConnected,
  mqtt: IconArrowsLeftRight,
  keys: IconKey,
  users: IconUsers,
  audit: IconListDetails,
  settings: IconSettings,
  platform: IconServerCog,
};
