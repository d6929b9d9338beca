/** Asks whether others may read the session, in a home channel that is no private chat. `audience` names them. */
export function audienceQuestion(audience: string): string {
  return `Everybody in ${audience} will be able to read this session and write in it. Hand it off?`;
}
