/** The texts of scopes that reach the rights of people and programs. */
export const t = {
  rightsOfPeopleAndPrograms: "Rights of people and programs",
  readTheKeyItself: "Read the key itself",
  seesWhenItEnds: "Sees its own name, scopes and end.",
  rotateTheKeyItself: "Rotate the key itself",
  canLiveOn: "Can live on as a successor, even after you revoke it: revoke that one, too.",
  readUsers: "Read users",
  seesUsersAndKeys: "Sees users, invitations and the list of API keys, without secrets.",
  changeUsers: "Invite and change users",
  canInviteAndDeactivate: "Can invite operators and viewers, and deactivate users.",
  readAudits: "Read audits",
  seesWhoDidWhat: "Sees who did what in administration, and every write with an API key.",
};
