import { HermesError } from "../../base/errors.ts";
import type { Io } from "../../terminal/io.ts";

/** Stands in every file that Hermes writes for a service manager, so that it touches no other. */
export const MARK = "Written by `hermes service install`; `hermes service uninstall` removes it.";

/** How long a gateway may take to finish running work, in seconds. */
export const STOP_WITHIN_SECONDS = 75;

/** What a service runs. */
export interface ServiceProgram {
  /** Absolute paths and words, without a secret. */
  readonly command: readonly [program: string, ...words: string[]];
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface ServiceState {
  readonly isActive: boolean;
  /** Null while it is not active. */
  readonly pid: number | null;
  /** In the words of the service manager: `active (running)`. */
  readonly detail: string;
}

/** What keeps a gateway running for a person: systemd's or launchd's. */
export interface ServiceManager {
  /** What people call it. */
  readonly name: string;
  /** The file that describes the service. */
  readonly file: string;
  /** Throws SERVICE_UNAVAILABLE where it does not run. */
  check(): Promise<void>;
  /** The file's content. Throws SERVICE_PATH_UNFIT for a path that it cannot hold. */
  describe(program: ServiceProgram): string;
  /** Takes the file as it stands now, and starts the service, or starts it again. */
  activate(): Promise<void>;
  /** Stops the service, which is not started by itself any more. The file is still there. */
  deactivate(): Promise<void>;
  /** Called when the file is gone. */
  forget(): Promise<void>;
  restart(): Promise<void>;
  state(): Promise<ServiceState>;
  /** What the person is to know of when the service runs; null where there is nothing. */
  advice(): Promise<string | null>;
  /** The program that prints what the service wrote, and its words. */
  logCommand(options: { readonly follow: boolean; readonly lines: number }): readonly [string, ...string[]];
}

/** The service manager of this machine. Throws SERVICE_UNAVAILABLE where Hermes knows none. */
export async function serviceManager(io: Io, platform: NodeJS.Platform = process.platform): Promise<ServiceManager> {
  if (platform === "linux") return new (await import("./systemd.ts")).Systemd(io);
  if (platform === "darwin") return new (await import("./launchd.ts")).Launchd(io);
  throw new HermesError("SERVICE_UNAVAILABLE", { reason: `Hermes supports none on ${platform}` });
}

/** Throws SERVICE_PATH_UNFIT for a text that would be cut or changed where it stands at the end of a line. */
export function requireFit(text: string): string {
  const isUnfit = /\p{Cc}|[\u2028\u2029]|[\s\\]$|^\s/u.test(text);
  if (isUnfit) throw new HermesError("SERVICE_PATH_UNFIT", { path: JSON.stringify(text) });
  return text;
}
