/** What a Containerfile says, as far as ours goes. */
export interface Containerfile {
  readonly base: string;
  /** In their order: those that do something while an image is built, or say how it is run. */
  readonly steps: readonly Step[];
}

export interface Step {
  readonly instruction: string;
  readonly text: string;
}

const KNOWN = new Set([
  ...["ARG", "RUN", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE"],
  ...["HEALTHCHECK", "STOPSIGNAL", "ENTRYPOINT", "CMD"],
]);

/** Reads a Containerfile of one stage. Throws for an instruction that it does not know. */
export function readContainerfile(text: string): Containerfile {
  const lines = text
    .split("\n")
    .filter((line) => !/^\s*(?:#|$)/.test(line))
    .join("\n")
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n");
  const steps = lines.map((line) => {
    const [, instruction = "", rest = ""] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
    return { instruction, text: rest };
  });
  const [first, ...others] = steps;
  if (first?.instruction !== "FROM") throw new Error("a Containerfile begins with FROM");
  const unknown = others.find(({ instruction }) => !KNOWN.has(instruction));
  if (unknown) throw new Error(`${unknown.instruction} is not read here`);
  return { base: first.text, steps: others };
}

/** The list in an instruction of the form `CMD ["hermes", "gateway"]`. */
export function listIn(text: string): readonly string[] {
  return JSON.parse(text.slice(text.indexOf("["))) as string[];
}

/** `text` with the values of its variables. */
export function expand(text: string, variables: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(/\$\{(\w+)\}|\$(\w+)/g, (_all, braced, bare) => variables[braced ?? bare] ?? "");
}
