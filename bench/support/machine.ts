import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";

/** What the figures were taken on. */
export interface MachineFacts {
  readonly node: string;
  readonly platform: string;
  readonly cpus: number;
  readonly cpuModel: string;
  readonly memoryGiB: number;
  /** Processes that ran or waited to run over the last minute: above 0, other work went on beside the measurements. */
  readonly loadBefore: number;
  readonly date: string;
}

export function describeMachine(): MachineFacts {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch} ${release()}`,
    cpus: availableParallelism(),
    cpuModel: cpus()[0]?.model.trim() ?? "unknown",
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    date: new Date().toISOString(),
  };
}
