import "reflect-metadata";
import { processIo } from "../terminal/io.ts";
import { runCli } from "./program.ts";
import { hermesCall } from "./update/hermes-call.ts";

// Timers of the clock and background children keep no process alive; the command that waits for them does.
const untilDone = setInterval(() => {}, 2 ** 30);
try {
  const io = processIo();
  process.exitCode = await runCli(process.argv.slice(2), { io: { ...io, hermesCall: () => hermesCall(io) } });
} finally {
  clearInterval(untilDone);
  // What a plugin left running does not keep the process; output that its reader has not taken yet does.
  setInterval(() => {
    if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  }, 500).unref();
}
