export const ROLES = { admin: "Administrator", operator: "Operator", viewer: "Viewer" } as const;
