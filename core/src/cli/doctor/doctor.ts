import { systemClock } from "../../base/clock.ts";
import { untilAborted } from "../../base/deadline.ts";
import { reasonOf } from "../../base/errors.ts";
import { attributeErrors } from "../../plugin/plugin-context.ts";
import { createSpinner } from "../../terminal/spinner.ts";
import type { CliContext } from "../context.ts";
import type { Check, DoctorContext, DoctorFinding } from "./check.ts";
import { clockCheck } from "./checks/clock.ts";
import { configCheck } from "./checks/config.ts";
import { diskCheck } from "./checks/disk.ts";
import { gatewayCheck } from "./checks/gateway.ts";
import { homeCheck } from "./checks/home.ts";
import { modelCheck } from "./checks/model.ts";
import { networkCheck } from "./checks/network.ts";
import { nodeCheck } from "./checks/node.ts";
import { pluginChecks } from "./checks/plugins.ts";
import { sandboxCheck } from "./checks/sandbox.ts";
import { storeCheck } from "./checks/store.ts";
import { versionsCheck } from "./checks/versions.ts";
import { examineSetup } from "./examine-setup.ts";
import { printFindings, printSum, type ShownFinding } from "./print-findings.ts";
import { runChecks } from "./run-checks.ts";

/** What is examined, in the order in which it is told: what an earlier check finds often explains a later one. */
function checksFor(context: DoctorContext): Check[] {
  return [
    ...[nodeCheck, homeCheck, diskCheck, configCheck, storeCheck, networkCheck, clockCheck],
    ...[modelCheck, sandboxCheck, versionsCheck, gatewayCheck],
    ...pluginChecks(context),
  ];
}

interface DoctorOptions {
  readonly fix?: boolean;
}

/** `hermes doctor`: examines everything that Hermes needs, and says what to do. Returns 1 when there is a problem. */
export async function doctor(cli: CliContext, { fix = false }: DoctorOptions): Promise<number> {
  const { io, output } = cli;
  const stop = new AbortController();
  using _interrupt = io.onSignal("SIGINT", () => stop.abort());
  using spinner = createSpinner(output, systemClock);
  // What a plugin lets go wrong in the background ends its own check only.
  using _errors = attributeErrors((error) => output.note(`Something failed in the background: ${reasonOf(error)}.`));
  const { signal } = stop;
  const shown: ShownFinding[] = [];
  try {
    spinner.spin("reading the config…");
    using context = await untilAborted(examineSetup(cli, signal), signal);
    const onWait = ({ title }: Check) => spinner.spin(`examining: ${title}…`);
    for await (const outcome of runChecks(checksFor(context), context, { signal, onWait })) {
      spinner.stop();
      const findings: ShownFinding[] = [];
      for (const finding of outcome.findings) {
        const settled = await settle(finding, outcome.check, context, fix);
        const { message, hint } = settled;
        findings.push({ ...settled, message: output.asCalled(message), hint: hint && output.asCalled(hint) });
      }
      printFindings(output, outcome.check.title, findings);
      shown.push(...findings);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    spinner.stop();
    output.note("Stopped before everything was examined.");
    return 1;
  }
  const problems = shown.filter(({ state, fixed }) => state === "problem" && fixed === null).length;
  output.document({ ok: problems === 0, findings: shown.map(({ isFixable: _, ...finding }) => finding) });
  printSum(output, shown);
  return problems === 0 ? 0 : 1;
}

/** Mends what is found, where that was asked for, and takes secrets out of what is said of it. */
async function settle(
  { state, message, hint, fix }: DoctorFinding,
  { name: check }: Check,
  { redact }: DoctorContext,
  isFixing: boolean,
): Promise<ShownFinding> {
  const finding = { check, state, message: redact(message), hint: hint === undefined ? null : redact(hint) };
  const isFixable = fix !== undefined;
  if (!isFixing || fix === undefined) return { ...finding, fixed: null, isFixable };
  try {
    return { ...finding, fixed: redact(await fix()), isFixable };
  } catch (error) {
    const failed = `It could not be mended: ${redact(reasonOf(error))}.`;
    return { ...finding, hint: [failed, finding.hint ?? ""].join(" ").trim(), fixed: null, isFixable: false };
  }
}
