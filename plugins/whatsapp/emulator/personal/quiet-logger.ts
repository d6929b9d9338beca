/** Baileys' parts want a logger; those of the emulator have nothing to say to anybody. */
export const quietLogger = {
  level: "silent",
  child: () => quietLogger,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
};
