import "reflect-metadata";
import { processIo } from "../terminal/io.ts";
import { runCli } from "./program.ts";

// Timers of the clock and background children keep no process alive; the command that waits for them does.
const untilDone = setInterval(() => {}, 2 ** 30);
try {
  process.exitCode = await runCli(process.argv.slice(2), { io: processIo() });
} finally {
  clearInterval(untilDone);
}
