/** Asks whether others may read the session. `audience` names them: `Everybody in #general`. */
export function audienceQuestion(audience: string): string {
  return `${audience} will be able to read this session and write in it. Hand it off?`;
}
