import type { Clock } from "@hermes/core";
import type { Agent } from "@hermes/core/embed";

/** Of a process that can be killed within this one: from then on nothing of it moves. */
export class Life {
  isOver = false;

  /** Resolves with `value`, or never once life is over: what waits for it does not go on. */
  async pass<T>(value: T): Promise<T> {
    if (this.isOver) await new Promise<never>(() => {});
    return value;
  }

  /** The clock, whose timers fire no more. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      steady: () => clock.steady(),
      setTimer: (delayMs, run) => clock.setTimer(delayMs, () => void (this.isOver || run())),
    };
  }

  /** The agent, which says no more. */
  agent(agent: Agent): Agent {
    const life = this;
    return {
      modelOf: (session) => agent.modelOf(session),
      async *run(request) {
        for await (const event of agent.run(request)) yield await life.pass(event);
      },
    };
  }
}
