import type { Command } from "commander";
import type { MakeAction } from "../context.ts";
import { parseCount } from "../parse-option.ts";

/** `hermes service …` */
export function addServiceCommands(program: Command, act: MakeAction): void {
  const service = program
    .command("service")
    .description("let the machine keep a gateway running: systemd on Linux, launchd on macOS");

  service
    .command("install")
    .description("write the service for this config, show it first, and start it")
    .option("-y, --yes", "do not ask")
    .action(act(async () => (await import("./install.ts")).installService));

  service
    .command("uninstall")
    .description("stop the service and remove what install wrote")
    .action(act(async () => (await import("./uninstall.ts")).uninstallService));

  service
    .command("status", { isDefault: true })
    .description("show whether the service is installed and runs")
    .action(act(async () => (await import("./status.ts")).showServiceStatus));

  service
    .command("logs")
    .description("show what the service printed; `hermes logs` shows the log itself")
    .option("-f, --follow", "keep printing new output, until Ctrl-C")
    .option("-n, --lines <number>", "show only the last <number> lines", parseCount, 100)
    .action(act(async () => (await import("./logs.ts")).showServiceLogs));
}
