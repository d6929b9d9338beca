import type { HermesError } from "../../base/errors.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";
import type { LoadedPackage } from "./loaded-plugin.ts";
import type { ConfigOutcome } from "./plugin-project.ts";

interface Added {
  readonly config: string;
  readonly plugins: readonly LoadedPackage[];
  /** Whether any was installed for it. */
  readonly installed: boolean;
  readonly outcome: ConfigOutcome;
  /** What is still missing in the config. */
  readonly problems: readonly HermesError[];
}

/** Says what was added, and what is left to do. */
export function printAdded({ output }: CliContext, { config, plugins, installed, outcome, problems }: Added): void {
  const paste = "paste" in outcome ? outcome.paste : null;
  output.document({
    config,
    installed,
    isChanged: "paste" in outcome ? false : outcome.isChanged,
    plugins: plugins.map(({ package: name, version, platform }) => ({ package: name, version, platform })),
    paste,
    problems: problems.map((problem) => output.shown(problem)),
  });
  const { bold, dim, yellow } = output.colors;
  const state = paste !== null ? "is installed" : isNew(outcome) ? `is in ${config} now` : `is in ${config} already`;
  for (const { package: name, version, platform } of plugins) {
    output.line(styled`${bold(platform ?? name)} ${state}.  ${dim(`${name}${version === null ? "" : `@${version}`}`)}`);
  }
  if (paste !== null) {
    output.line(`${config} cannot be edited without losing something. Put this into it:\n`);
    for (const line of paste.split("\n")) output.line(`  ${line}`);
    output.line();
  }
  for (const problem of problems)
    output.line(styled`${yellow("To do:")} ${problem.message} ${dim(output.asCalled(problem.hint))}`);
  const [first] = plugins;
  if (problems.length > 0 && first !== undefined && first.platform !== null) {
    output.line(`\`hermes init --platform ${first.platform}\` asks for what a plugin needs.`);
  }
  if (isNew(outcome)) output.line("`hermes gateway restart` makes a running gateway use it.");
}

function isNew(outcome: ConfigOutcome): boolean {
  return "isChanged" in outcome && outcome.isChanged;
}
