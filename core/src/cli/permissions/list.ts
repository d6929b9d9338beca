import { checkConfig } from "../../config/check-config.ts";
import { hermesHome, prepareHome } from "../../host/home.ts";
import { NO_RULES, RULE_KINDS } from "../../permissions/rule.ts";
import { styled } from "../../terminal/styled.ts";
import { confirmChangeOn } from "../confirm-change.ts";
import type { CliContext } from "../context.ts";

/** `hermes permissions`: the rules of the config that is used here, those that decide first on top. */
export async function listPermissions({ io, output, configPath }: CliContext): Promise<undefined> {
  const { environment, workingDirectory } = io;
  const home = hermesHome(environment);
  prepareHome(home);
  const { path, config, problems, warnings } = await checkConfig({
    ...{ configPath, environment, workingDirectory, home, confirmChange: confirmChangeOn(output) },
  });
  for (const { message, hint } of warnings) output.note(`${message} ${hint}`);
  const [first] = problems;
  if (config === null && first !== undefined) throw first;
  const { allow, ask, deny } = config?.permissions ?? NO_RULES;
  output.document({ path, permissions: { allow, ask, deny } });
  const { bold, dim } = output.colors;
  const rules = RULE_KINDS.flatMap((kind) => ({ allow, ask, deny })[kind].map((rule) => ({ kind, rule })));
  output.line(styled`${bold(path ?? "There is no config.")}`);
  for (const { kind, rule } of rules) output.line(styled`${kind.padEnd(5)}  ${rule}`);
  if (rules.length === 0) output.line("There are no rules.");
  output.line(styled`${dim("Without a rule, reading below the directory is allowed, and all else is asked.")}`);
}
