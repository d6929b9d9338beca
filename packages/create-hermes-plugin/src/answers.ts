/** How messages come in. */
export const WAYS = ["polling", "webhook", "socket"] as const;

export type Way = (typeof WAYS)[number];

/** What the author says of the platform. */
export interface Answers {
  /** The platform's name, as `hermes handoff` and sessions have it. */
  readonly name: string;
  /** The folder of the package. */
  readonly folder: string;
  readonly receive: Way;
  readonly threads: boolean;
  readonly edits: boolean;
}

/** Something that the author has to say in another way. `message` is for them to read. */
export class CannotCreate extends Error {}

/** Words of the language, and beginnings of names that the written code has already. */
const TAKEN = new Set([
  ...["await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else"],
  ...["enum", "export", "extends", "false", "finally", "for", "function", "if", "implements", "import", "in"],
  ...["instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public", "return", "static"],
  ...["super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with", "yield"],
  ...["connected", "delivering", "emulated", "handoff", "inbound", "sent", "stored"],
]);

/** Returns a name that a platform can have. Throws CannotCreate. */
export function checkName(name: string): string {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) || name.length > 32) {
    throw new CannotCreate(
      `A platform cannot be called ${JSON.stringify(name)}: use at most 32 small letters, digits and dashes, such as rocket-chat.`,
    );
  }
  if (TAKEN.has(name))
    throw new CannotCreate(`The code would not compile with a platform called ${name}: choose another name.`);
  return name;
}

/** Throws CannotCreate for something else than one of `WAYS`. */
export function checkWay(given: string): Way {
  const way = WAYS.find((one) => one === given);
  if (way === undefined)
    throw new CannotCreate(`Messages come in by ${WAYS.join(", ")}, and not by ${JSON.stringify(given)}.`);
  return way;
}
