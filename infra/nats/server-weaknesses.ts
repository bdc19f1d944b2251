/**
 * Reports where the running broker is weaker than production needs. The sync interval is visible only at the monitoring
 * port; without that port the answer is "not checked", never "fine".
 */
export interface ServerFacts {
  /** As the server announces it, for example `2.12.12`. */
  readonly version: string;
  readonly replicas: number;
  /** Address of the monitoring port, for example `http://127.0.0.1:8222`. */
  readonly monitorUrl?: string | undefined;
}

/**
 * The oldest version of each release line without a published advisory; in earlier ones, for example, a trace header
 * publishes to any subject.
 */
const wantedVersion = [2, 12, 12] as const;

/** One sentence per weakness; empty when there is none. Throws when a monitoring port is given and does not answer. */
export async function serverWeaknesses({ version, replicas, monitorUrl }: ServerFacts): Promise<string[]> {
  const weaknesses: string[] = [];
  if (!atLeast(version, wantedVersion))
    weaknesses.push(`server version ${version}, production wants ${wantedVersion.join('.')} or newer`);
  if (replicas < 3) weaknesses.push(`${replicas} replica, production wants 3`);
  if (monitorUrl === undefined) return [...weaknesses, 'sync interval not checked: give --monitor'];
  const answer = await fetch(new URL('/jsz?config=1', monitorUrl));
  if (!answer.ok) throw new Error(`The monitoring port answered ${answer.status}`);
  return [...weaknesses, ...syncWeakness((await answer.json()) as MonitorAnswer)];
}

interface MonitorAnswer {
  readonly config?: { readonly sync_always?: boolean; readonly sync_interval?: number };
}

function syncWeakness({ config }: MonitorAnswer): string[] {
  if (config?.sync_always === true) return [];
  const seconds = config?.sync_interval === undefined ? 'unknown' : `${config.sync_interval / 1e9} s`;
  return [
    `sync interval ${seconds}: a power cut loses acknowledged messages of that time; production wants sync_interval: always`,
  ];
}

function atLeast(version: string, wanted: readonly number[]): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  for (const [index, part] of wanted.entries()) {
    if (parts[index] !== part) return (parts[index] ?? 0) > part;
  }
  return true;
}
