import type { SetupWay } from "../../plugin/plugin-setup.ts";

/** The way by which a platform is used already: one whose options are in the config, with an answer to each question. */
export function wayInUse(ways: readonly SetupWay[], inConfig: Readonly<Record<string, unknown>>): SetupWay | undefined {
  const fitting = ways.filter(({ options = {} }) =>
    Object.entries(options).every(([name, value]) => inConfig[name] === value),
  );
  const isAnswered = ({ questions }: SetupWay) =>
    questions.every(({ option, isOptional, default: byDefault }) => {
      return isOptional || byDefault !== undefined || inConfig[option] !== undefined;
    });
  return fitting.find(isAnswered) ?? fitting[0];
}
