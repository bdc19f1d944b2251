/**
 * Secrets in files: `NAME_FILE` names a file with the value of `NAME`, as container platforms mount them. So the value
 * is never in the environment, where child processes and inspection tools would see it.
 */
import { readFileSync } from 'node:fs';
import type { ConfigurationProblem, Environment } from './environment';

export interface FilledEnvironment {
  readonly environment: Environment;
  readonly problems: readonly ConfigurationProblem[];
}

const largestBytes = 65_536;

function contentOf(path: string): string | undefined {
  try {
    const content = readFileSync(path);
    return content.length > largestBytes ? undefined : content.toString('utf8').replace(/[\r\n]+$/, '');
  } catch {
    return undefined;
  }
}

/** The environment with the content of each file that a `NAME_FILE` names; line ends at its end are removed. */
export function readSecretFiles(names: readonly string[], environment: Environment): FilledEnvironment {
  const problems: ConfigurationProblem[] = [];
  const filled: Record<string, string | undefined> = { ...environment };
  for (const name of names) {
    const variable = `${name}_FILE`;
    const path = environment[variable];
    if (path === undefined || path === '') continue;
    const content = contentOf(path);
    if ((environment[name] ?? '') !== '') problems.push({ variable, message: `must not be set together with ${name}` });
    else if (content === undefined || content === '')
      problems.push({ variable, message: 'names no readable file of 1 to 65536 bytes' });
    else filled[name] = content;
  }
  return { environment: filled, problems };
}
