import { readIfThere } from "../../base/kept-json.ts";
import { shorten } from "../../base/shorten.ts";
import { checkConfig } from "../../config/check-config.ts";
import { type ConfigValue, describeConfig } from "../../config/describe-config.ts";
import type { RawConfig } from "../../config/read-config.ts";
import { hermesHome, prepareHome } from "../../host/home.ts";
import { columnsOf } from "../../markdown/text-width.ts";
import { styled } from "../../terminal/styled.ts";
import { confirmChangeOn } from "../confirm-change.ts";
import type { CliContext } from "../context.ts";

/** How much of a value is shown, in UTF-16 units. */
const LONGEST = 60;

/** `hermes config show`: the config as it is used, defaults too, and where each value comes from. Shows no secret. */
export async function showConfig({ io, output, configPath }: CliContext): Promise<number> {
  const { environment, workingDirectory } = io;
  const home = hermesHome(environment);
  prepareHome(home);
  let raw: RawConfig = { value: {}, isData: true };
  const { path, config, problems, warnings, envFile } = await checkConfig({
    ...{ configPath, environment, workingDirectory, home, confirmChange: confirmChangeOn(output) },
    onRead: (read) => {
      raw = read;
    },
  });
  for (const warning of warnings) output.note(`${warning.message} ${warning.hint}`);
  const [first] = problems;
  if (config === null && first !== undefined) throw first;
  const source = path === null ? "" : (readIfThere(path) ?? "");
  const values = config === null ? [] : describeConfig(config, { ...raw, source }, environment);
  output.document({
    path,
    envFile,
    values,
    problems: problems.map((problem) => output.shown(problem)),
  });
  const { bold, dim, yellow } = output.colors;
  output.line(styled`${bold(path ?? "There is no config: these are the defaults.")}`);
  if (envFile !== null) output.line(styled`${dim(`with ${envFile}`)}`);
  const width = Math.max(0, ...values.map(({ key }) => columnsOf(key)));
  for (const value of values) {
    const shown = shorten(shownValue(value), LONGEST);
    const from = origin(value);
    output.line(styled`${value.key.padEnd(width)}  ${shown}${from === "" ? "" : dim(`  ${from}`)}`);
  }
  for (const problem of problems) output.line(styled`${yellow(problem.message)} ${dim(output.asCalled(problem.hint))}`);
  return problems.length === 0 ? 0 : 1;
}

function shownValue({ value, isSecret }: ConfigValue): string {
  if (isSecret) return "…";
  if (value === null) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function origin({ from, variables }: ConfigValue): string {
  if (from === "file") return "";
  return from === "default" ? "default" : `${variables.join(", ")} (${from === ".env" ? ".env" : "environment"})`;
}
