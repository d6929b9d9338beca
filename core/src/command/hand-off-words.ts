/** What people type behind `/handoff`: a place, and words that say how. */
export interface HandOffWords {
  readonly where: string;
  /** Whether they wrote `yes`: it is meant, although others read there. */
  readonly isMeant: boolean;
}

/** Reads what was typed behind `/handoff`: `pager/#general yes`. */
export function readHandOffWords(typed: string): HandOffWords {
  const where = typed.trim().replace(/\s+(--)?yes$/i, "");
  return { where, isMeant: where !== typed.trim() };
}
