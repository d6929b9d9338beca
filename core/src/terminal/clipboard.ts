import { spawn } from "node:child_process";
import type { Io } from "./io.ts";

/** The longest text, in bytes of base64, that terminals take by OSC 52. */
const LONGEST_SEQUENCE = 74_994;

/** How long a program has to take a text, in milliseconds. */
const PATIENCE_MS = 3_000;

/** Copies a text to the clipboard by the system's tool and by the terminal (OSC 52). Returns by which, for people. */
export async function copyToClipboard(io: Io, text: string): Promise<string[]> {
  const tool = await byTool(io.environment, text);
  const ways = tool === null ? [] : [`\`${tool}\``];
  const encoded = Buffer.from(text).toString("base64");
  if (!io.draws || encoded.length > LONGEST_SEQUENCE) return ways;
  const sequence = `\x1b]52;c;${encoded}\x07`;
  // tmux hands on only what is wrapped.
  io.stdout.write(io.environment.TMUX ? `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\` : sequence);
  return [...ways, "the terminal (OSC 52, where it allows that)"];
}

/** The name of the tool that took it; null where there is none. */
async function byTool(environment: NodeJS.ProcessEnv, text: string): Promise<string | null> {
  for (const [program, ...args] of toolsOf(environment))
    if (await take(program, args, environment, text)) return program;
  return null;
}

function toolsOf({ WAYLAND_DISPLAY, DISPLAY, WSL_DISTRO_NAME }: NodeJS.ProcessEnv): [string, ...string[]][] {
  if (process.platform === "darwin") return [["pbcopy"]];
  if (process.platform === "win32" || WSL_DISTRO_NAME) return [["clip.exe"]];
  const wayland: [string, ...string[]][] = WAYLAND_DISPLAY ? [["wl-copy"]] : [];
  const x11: [string, ...string[]][] = DISPLAY
    ? [
        ["xclip", "-selection", "clipboard"],
        ["xsel", "-ib"],
      ]
    : [];
  return [...wayland, ...x11];
}

function take(program: string, args: readonly string[], env: NodeJS.ProcessEnv, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: ["pipe", "ignore", "ignore"], timeout: PATIENCE_MS });
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
