/** The error types of RFC 7644 3.12, and the further reasons for which a request is refused. */
export type ScimReason =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany"
  | "uniqueness";

/** A request that breaks a rule of the protocol. The API maps the reason to a status. */
export class ScimRefusal extends Error {
  override readonly name = "ScimRefusal";
  readonly reason: ScimReason;

  constructor(reason: ScimReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
