/** One live line during the run: the requests and answers, the current fault, and the remaining time. */
import type { ReportedAnswer } from './load';
import type { OutageCounts } from './outages';

export interface Dashboard {
  stop(): void;
}

const total = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

function lineOf(answers: readonly ReportedAnswer[], outages: OutageCounts, elapsed: number, seconds: number): string {
  const count = (matches: (answer: ReportedAnswer) => boolean) => answers.filter(matches).length;
  return [
    `${Math.min(elapsed, seconds).toFixed(0)}/${seconds} s`,
    `answers ${answers.length}`,
    `ok ${count(({ status }) => status === 200 || status === 201)}`,
    `accepted ${count(({ status }) => status === 202)}`,
    `refused ${count(({ status }) => status >= 400 && status < 500)}`,
    `stopped ${count(({ code }) => code === 'outcome_unknown')}`,
    `lost or away ${count(({ status }) => status === 0 || status === 503)}`,
    `kills ${total(outages.kills)}`,
    `wipes ${outages.wipes}`,
    `provider faults ${outages.faultsLaid}`,
    outages.now,
  ].join(' · ');
}

/** On a terminal the line is rewritten every second; in a file there is one line every 15 s. */
export function startDashboard(answers: readonly ReportedAnswer[], outages: OutageCounts, seconds: number): Dashboard {
  const startedAt = performance.now();
  const terminal = process.stdout.isTTY;
  const draw = (): void => {
    const line = lineOf(answers, outages, (performance.now() - startedAt) / 1_000, seconds);
    process.stdout.write(terminal ? `\r\u001b[2K${line.slice(0, process.stdout.columns - 1)}` : `${line}\n`);
  };
  const timer = setInterval(draw, terminal ? 1_000 : 15_000);
  return {
    stop: () => {
      clearInterval(timer);
      draw();
      if (terminal) process.stdout.write('\n');
    },
  };
}
