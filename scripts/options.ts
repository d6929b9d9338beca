/**
 * Reads the options of a command of this repository. Ends the process with 0 behind the help that was asked for, and
 * with 2 behind what is wrong where `parse` throws.
 */
export function readOptions<Options>(help: string, parse: (args: readonly string[]) => Options): Options {
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    console.log(help);
    process.exit(0);
  }
  try {
    return parse(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
}

/** Which part of a long run this is, from 1, and how many there are. */
export interface Part {
  readonly number: number;
  readonly of: number;
}

/** Reads `2/6`. Throws an Error that says what would be right. */
export function parsePart(text: string): Part {
  const [, number = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (number < 1 || number > of)
    throw new Error("--part takes the number of a part and how many there are, such as 1/6.");
  return { number, of };
}
