import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes gateway …` and `hermes status` */
export function addGatewayCommands(program: Command, act: MakeAction): void {
  const gateway = program
    .command("gateway")
    .description("serve the configured platforms: receive, answer, carry out handoffs")
    .option("--detach", "run in the background; print the pid once it runs")
    .addHelpText(
      "after",
      `
Examples:
  hermes gateway              run until Ctrl-C, which lets running turns finish
  hermes gateway --detach     in the background
  hermes gateway restart      after a change of the config
  hermes gateway stop         stop it
`,
    )
    .action(act(async () => (await import("./start.ts")).startGateway));

  gateway
    .command("stop")
    .description("stop this machine's gateways after running turns have finished")
    .action(act(async () => (await import("./stop.ts")).stopGateways));

  gateway
    .command("restart")
    .description("check the config, stop the gateways of this machine, start them again in the background")
    .action(act(async () => (await import("./restart.ts")).restartGateways));

  program
    .command("status")
    .description("show the gateways, their platforms' health, and handoffs in flight")
    .option("--healthy", "exit with 1 unless a running gateway reaches a platform")
    .action(act(async () => (await import("./status.ts")).showStatus));
}
