import type { Clock } from "@hermes/core";
import type { Agent } from "@hermes/core/embed";

/** The life of a simulated process that can be killed: from then on, none of its code continues. */
export class Life {
  isOver = false;

  /** Resolves to `value`, or never once the life is over, so that its caller does not continue. */
  async pass<T>(value: T): Promise<T> {
    if (this.isOver) await new Promise<never>(() => {});
    return value;
  }

  /** A clock whose timers stop firing when the life is over. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      steady: () => clock.steady(),
      setTimer: (delayMs, run) => clock.setTimer(delayMs, () => void (this.isOver || run())),
    };
  }

  /** An agent that falls silent when the life is over. */
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
