// `npm run audit`: asks the registry for known vulnerabilities of the shipped packages. Three distinct exit codes: 0 no
// serious vulnerability, 1 at least one, 3 the registry did not answer, so the result is unknown.
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import commandLine from '../libs/command-line/src/index.cjs';
import command from './audit.command.cjs';

export const ends = { clean: 0, weaknesses: 1, unanswered: 3 };

/** Reads npm's answer (standard output of `npm audit --json`): `{ end, lines }`. */
export function judge(text) {
  let report;
  try {
    report = JSON.parse(text);
  } catch {
    return { end: ends.unanswered, lines: ['NOT CHECKED: npm audit gave no answer that can be read.'] };
  }
  const counts = report.metadata?.vulnerabilities;
  if (report.error || report.message || !counts || !report.vulnerabilities) {
    const { summary, code } = report.error ?? {};
    const why = [code, report.message || summary].filter(Boolean).join(': ');
    return {
      end: ends.unanswered,
      lines: [
        `NOT CHECKED: the registry did not answer the question for known weaknesses${why ? ` (${why})` : ''}.`,
        'Nothing is known about them: run it again where the registry has the advisory endpoint.',
      ],
    };
  }
  const grave = Object.values(report.vulnerabilities).filter(
    ({ severity }) => severity === 'high' || severity === 'critical',
  );
  const total = report.metadata.dependencies?.prod ?? 0;
  const lighter = (counts.low ?? 0) + (counts.moderate ?? 0) + (counts.info ?? 0);
  return {
    end: grave.length === 0 ? ends.clean : ends.weaknesses,
    lines: [
      ...grave.map(({ name, severity, range }) => `${severity}: ${name} ${range}`),
      `${total} packages that ship were asked about: ${grave.length} with weaknesses of high or critical weight, ${lighter} with lighter ones.`,
    ],
  };
}

function audit() {
  const asked = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const { end, lines } = judge(asked.stdout ?? '');
  for (const line of lines) console.log(line);
  return end;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await commandLine.runCommand(command, audit);
