import { MARK, requireFit, type ServiceProgram, STOP_WITHIN_SECONDS } from "./service-manager.ts";

type PlistValue = string | number | boolean | readonly PlistValue[] | { readonly [key: string]: PlistValue };

/** A property list for launchd that runs a program and starts it again when it fails. */
export function launchdPlist(label: string, { command, ...program }: ServiceProgram, out: string): string {
  const value = {
    Label: label,
    ProgramArguments: command,
    WorkingDirectory: program.workingDirectory,
    EnvironmentVariables: program.environment,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 10,
    ExitTimeOut: STOP_WITHIN_SECONDS,
    // Octal 077.
    Umask: 63,
    StandardOutPath: out,
    StandardErrorPath: out,
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${MARK} -->
<plist version="1.0">
${xmlOf(value, "")}
</plist>
`;
}

function xmlOf(value: PlistValue, indent: string): string {
  if (typeof value === "string") return `${indent}<string>${escaped(requireFit(value))}</string>`;
  if (typeof value === "number") return `${indent}<integer>${value}</integer>`;
  if (typeof value === "boolean") return `${indent}<${value}/>`;
  const inner = `${indent}  `;
  if (isList(value))
    return wrapped(
      "array",
      value.map((one) => xmlOf(one, inner)),
      indent,
    );
  const entries = Object.entries(value);
  return wrapped(
    "dict",
    entries.map(([key, one]) => `${inner}<key>${escaped(key)}</key>\n${xmlOf(one, inner)}`),
    indent,
  );
}

function isList(value: PlistValue): value is readonly PlistValue[] {
  return Array.isArray(value);
}

function wrapped(tag: string, lines: readonly string[], indent: string): string {
  return [`${indent}<${tag}>`, ...lines, `${indent}</${tag}>`].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
