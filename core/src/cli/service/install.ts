import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { replaceFile } from "../../base/replace-file.ts";
import { Styled } from "../../terminal/styled.ts";
import { requireConfirmed } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { endGateways, runningGateways } from "../gateway/stop.ts";
import { MARK, type ServiceManager, serviceManager } from "./service-manager.ts";
import { serviceProgram } from "./service-program.ts";

const UNASKED = {
  reason: "Installing the service needs your confirmation: pass --yes",
  command: "hermes service install",
};

interface InstallOptions {
  readonly yes?: boolean;
}

/** `hermes service install`: shows the file, asks, writes it, and starts the service. The same again changes nothing. */
export async function installService(context: CliContext, options: InstallOptions): Promise<number> {
  return installWith(context, options, await serviceManager(context.io));
}

/** The same with a service manager of the caller's choice. */
export async function installWith(
  context: CliContext,
  { yes = false }: InstallOptions,
  manager: ServiceManager,
): Promise<number> {
  const { output } = context;
  await manager.check();
  const { program, warnings } = await serviceProgram(context);
  const content = manager.describe(program);
  const before = contentOf(manager);
  const isUnchanged = before === content;
  if (isUnchanged && (await manager.state()).isActive) {
    output.document({ file: manager.file, installed: true, changed: false });
    output.line(`The service is installed and runs: ${manager.file}. Nothing was changed.`);
    return 0;
  }
  for (const warning of warnings) output.note(warning);
  if (!isUnchanged) {
    output.line(`Hermes will ${before === null ? "write" : "replace"} ${manager.file}:\n`);
    output.line(Styled.from(content));
    if (!yes && !(await requireConfirmed(output, "Write it, and start the service?", UNASKED))) {
      output.line("Nothing was installed.");
      return 1;
    }
    mkdirSync(dirname(manager.file), { recursive: true });
    replaceFile(manager.file, content);
  }
  await endOthers(context, manager);
  await manager.activate();
  const advice = await manager.advice();
  output.document({ file: manager.file, installed: true, changed: !isUnchanged, warnings, advice });
  output.line("The service is installed and started. `hermes status` shows when its platforms are up.");
  if (advice !== null) output.note(advice);
  return 0;
}

/** The service's file as it stands; null without one. Throws SERVICE_FOREIGN for one that Hermes did not write. */
export function contentOf({ file }: Pick<ServiceManager, "file">): string | null {
  if (!existsSync(file)) return null;
  const content = readFileSync(file, "utf8");
  if (!content.includes(MARK)) throw new HermesError("SERVICE_FOREIGN", { file });
  return content;
}

/** A gateway that runs in the background already would only be stood by. */
async function endOthers({ output, withHost }: CliContext, manager: ServiceManager): Promise<void> {
  const { pid } = await manager.state();
  await withHost(
    async (host) => {
      const { here } = await runningGateways(host);
      const others = here.filter(({ holder }) => holder.pid !== pid);
      for (const { holder } of others) output.line(`Stopping the gateway (pid ${holder.pid}); the service takes over.`);
      await endGateways(host, others);
    },
    { needsConfig: false },
  );
}
