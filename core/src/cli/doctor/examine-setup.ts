import { container as rootContainer } from "tsyringe";
import { type CheckedModel, checkModel } from "../../agent/check-model.ts";
import { systemClock } from "../../base/clock.ts";
import { runWithin } from "../../base/deadline.ts";
import { HermesError } from "../../base/errors.ts";
import { systemProcessProbe } from "../../base/process-identity.ts";
import { useProxy } from "../../base/proxy/use-proxy.ts";
import { createRedactor } from "../../base/redact.ts";
import { CLOCK, PROCESS_PROBE } from "../../base/tokens.ts";
import { type CheckedConfig, checkConfig } from "../../config/check-config.ts";
import { CONFIG, type LoadedConfig } from "../../config/config.ts";
import { secretsOfConfig } from "../../config/secrets-of-config.ts";
import { hermesHome, isHomeSafe } from "../../host/home.ts";
import { examineStore, storeFileOf } from "../../host/open-store.ts";
import type { CliContext } from "../context.ts";
import type { DoctorContext } from "./check.ts";
import { type Machine, systemMachine } from "./machine.ts";

/** How long the store, or the model, may take to answer all checks that ask for it, in milliseconds. */
const SHARED_MS = 9_500;

/**
 * Reads the config, as a command does that uses it, and goes on where it cannot be read. Opens and makes nothing in the
 * home. What is returned stops the use of the proxy when it is disposed of.
 */
export async function examineSetup(
  { io, configPath, override }: Pick<CliContext, "io" | "configPath" | "override">,
  signal: AbortSignal,
  machine: Machine = systemMachine,
): Promise<DoctorContext & Disposable> {
  const container = rootContainer.createChildContainer();
  override(container);
  const clock = container.isRegistered(CLOCK) ? container.resolve(CLOCK) : systemClock;
  const probe = container.isRegistered(PROCESS_PROBE) ? container.resolve(PROCESS_PROBE) : systemProcessProbe;
  const { workingDirectory } = io;
  const home = hermesHome(io.environment);
  const undo: (() => void)[] = [];
  const throughProxy = (variables: NodeJS.ProcessEnv) => {
    try {
      undo.push(useProxy(variables));
    } catch {
      // The check of the network says what is wrong with it.
    }
  };
  throughProxy(io.environment);
  const request = { configPath, environment: io.environment, workingDirectory, home, clock, onVariables: throughProxy };
  const checked = container.isRegistered(CONFIG)
    ? asChecked(container.resolve(CONFIG))
    : isHomeSafe(home)
      ? await checkConfig(request)
      : null;
  const config = checked?.config ?? null;
  const environment = { ...config?.variables, ...io.environment };
  const shared = <T>(work: (limited: AbortSignal) => Promise<T>, late: HermesError) =>
    runWithin(clock, SHARED_MS, signal, work, late);
  return {
    home,
    workingDirectory,
    environment,
    clock,
    probe,
    machine,
    checked,
    redact: createRedactor(secretsOfConfig(config, io.environment)),
    store: once(() => shared(() => examineStore(home, { clock, probe }), slowStore(home))),
    model: once(() => shared((limited) => modelOf(config, environment, limited), slowModel(config))),
    [Symbol.dispose]() {
      for (const step of undo.reverse()) step();
    },
  };
}

/** A config that an embedding program or a test brought. */
function asChecked(config: LoadedConfig): CheckedConfig {
  return { path: config.path, config, problems: [], warnings: config.warnings, envFile: null };
}

async function modelOf(
  config: LoadedConfig | null,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<CheckedModel | null> {
  const { model = null, providers = {} } = config ?? {};
  return model === null ? null : await checkModel(model, { providers, environment }, signal);
}

function slowStore(home: string): HermesError {
  const fields = { file: storeFileOf(home), seconds: SHARED_MS / 1_000, holder: "another process" };
  return new HermesError("STORE_BUSY", fields);
}

function slowModel(config: LoadedConfig | null): HermesError {
  const [provider = ""] = config?.model?.split("/") ?? [];
  return new HermesError("AGENT_MODELS_UNKNOWN", { provider, reason: `no answer within ${SHARED_MS / 1_000} s` });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
