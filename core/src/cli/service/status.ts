import type { CliContext } from "../context.ts";
import { contentOf } from "./install.ts";
import { serviceManager } from "./service-manager.ts";

/** `hermes service status`. Returns 1 when it is installed and does not run. */
export async function showServiceStatus({ io, output }: CliContext): Promise<number> {
  const manager = await serviceManager(io);
  if (contentOf(manager) === null) {
    output.document({ installed: false, active: false, file: manager.file });
    output.line("The service is not installed: `hermes service install`.");
    return 0;
  }
  await manager.check();
  const { isActive, pid, detail } = await manager.state();
  const advice = await manager.advice();
  output.document({ installed: true, active: isActive, pid, detail, file: manager.file, advice });
  output.line(`${manager.name}: ${detail}${pid === null ? "" : `, pid ${pid}`}`);
  output.line(`file: ${manager.file}`);
  if (!isActive) output.note("`hermes service logs` shows why; `hermes service install` starts it.");
  else if (advice !== null) output.note(advice);
  return isActive ? 0 : 1;
}
