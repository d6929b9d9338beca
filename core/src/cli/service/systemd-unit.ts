import { MARK, requireFit, type ServiceProgram, STOP_WITHIN_SECONDS } from "./service-manager.ts";

/** The first version of systemd that lengthens the pause between attempts by itself. */
const HAS_RESTART_STEPS = 254;

/** A unit of systemd that runs a program and starts it again when it fails. */
export function systemdUnit({ command, workingDirectory, environment }: ServiceProgram, version: number): string {
  const steps = version >= HAS_RESTART_STEPS ? ["RestartSteps=6", "RestartMaxDelaySec=300"] : [];
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`);
  return `${[
    `# ${MARK}`,
    "[Unit]",
    "Description=Hermes gateway",
    // Restart without a limit: a network may be down for hours.
    "StartLimitIntervalSec=0",
    "",
    "[Service]",
    "Type=exec",
    // The colon: a dollar in a word is a dollar.
    `ExecStart=:${[...(takesAsProgram(command[0]) ? [] : ["/usr/bin/env"]), ...command].map(quoted).join(" ")}`,
    `WorkingDirectory=${withoutSpecifiers(requireFit(workingDirectory))}`,
    ...variables,
    "Restart=on-failure",
    "RestartSec=5",
    ...steps,
    `TimeoutStopSec=${STOP_WITHIN_SECONDS}`,
    // The gateway ends its own children.
    "KillMode=mixed",
    "UMask=0077",
    "NoNewPrivileges=yes",
    "LockPersonality=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "SystemCallArchitectures=native",
    "",
    "[Install]",
    "WantedBy=default.target",
  ].join("\n")}\n`;
}

/** As a program, and there alone, systemd refuses a path with quotes. */
function takesAsProgram(path: string): boolean {
  return !/["'\\]/.test(path);
}

function quoted(word: string): string {
  return `"${withoutSpecifiers(requireFit(word)).replaceAll(/["\\]/g, "\\$&")}"`;
}

function withoutSpecifiers(text: string): string {
  return text.replaceAll("%", "%%");
}
