import { fileError, HermesError, reasonOf } from "../base/errors.ts";
import type { Output } from "../terminal/output.ts";

/** Says what went wrong and what to do next; returns the exit code. A stack is for the log alone. */
export async function reportError(output: Output, thrown: unknown): Promise<number> {
  const error = thrown instanceof HermesError ? thrown : await logged(output, thrown);
  output.error(error);
  return error.exit;
}

/** An error nobody foresaw, as INTERNAL; its stack goes to the log, whose path is named. */
async function logged(output: Output, thrown: unknown): Promise<HermesError> {
  const [{ createFileLogger, logFileOf }, { hermesHome, isHomeSafe }, { createRedactor }, { secretsOfEnvironment }] =
    await Promise.all([
      import("../log/file-logger.ts"),
      import("../host/home.ts"),
      import("../base/redact.ts"),
      import("../base/proxy/proxy-settings.ts"),
    ]);
  const home = hermesHome(output.io.environment);
  const log = logFileOf(home);
  const ofEnvironment = createRedactor(secretsOfEnvironment(output.io.environment));
  const redact = (text: string) => output.redact(ofEnvironment(text));
  const ofFile = fileError(thrown, redact);
  if (ofFile !== null) return ofFile;
  try {
    if (!isHomeSafe(home)) throw new Error("others could have put a link there for us to follow");
    using logger = createFileLogger({ file: log, level: "error", redact });
    logger.error({ error: thrown }, "a command failed");
  } catch {
    // A home that cannot be written to must not hide what went wrong.
  }
  return new HermesError("INTERNAL", { reason: redact(reasonOf(thrown)), log }, { cause: thrown });
}
