import { rmSync } from "node:fs";
import type { CliContext } from "../context.ts";
import { contentOf } from "./install.ts";
import { type ServiceManager, serviceManager } from "./service-manager.ts";

/** `hermes service uninstall`: stops the service and removes its file, and nothing that Hermes did not write. */
export async function uninstallService(context: CliContext): Promise<number> {
  return uninstallFrom(context, await serviceManager(context.io));
}

/** The same with a service manager of the caller's choice. */
export async function uninstallFrom({ output }: CliContext, manager: ServiceManager): Promise<number> {
  if (contentOf(manager) === null) {
    output.document({ file: manager.file, removed: false });
    output.line("The service is not installed.");
    return 0;
  }
  await manager.check();
  output.line("Stopping the service; running turns finish first.");
  await manager.deactivate();
  rmSync(manager.file);
  await manager.forget();
  output.document({ file: manager.file, removed: true });
  output.line(`Removed ${manager.file}. Sessions and the config stay as they are.`);
  return 0;
}
