/** Work that follows typing: it waits for a pause, shows only the newest result, and cancels older work. */

export interface Latest<Input> {
  /** Begins again; running work is aborted and its result is never shown. */
  run(input: Input): void;
  stop(): void;
}

export interface LatestOptions<Input, Answer> {
  readonly waitMs: number;
  readonly work: (input: Input, signal: AbortSignal) => Promise<Answer>;
  readonly show: (answer: Answer, input: Input) => void;
  readonly setTimer?: (call: () => void, ms: number) => unknown;
  readonly clearTimer?: (timer: never) => void;
}

export function createLatest<Input, Answer>({
  waitMs,
  work,
  show,
  setTimer = (call, ms) => setTimeout(call, ms),
  clearTimer = (timer) => clearTimeout(timer),
}: LatestOptions<Input, Answer>): Latest<Input> {
  let turn = 0;
  let timer: unknown;
  let under: AbortController | undefined;
  const stop = (): void => {
    turn += 1;
    clearTimer(timer as never);
    under?.abort();
    under = undefined;
  };
  return {
    stop,
    run(input) {
      stop();
      const mine = turn;
      timer = setTimer(() => {
        const control = new AbortController();
        under = control;
        // Aborted work may end with an error, which is not shown.
        void work(input, control.signal).then(
          (answer) => {
            if (mine === turn) show(answer, input);
          },
          () => undefined,
        );
      }, waitMs);
    },
  };
}
