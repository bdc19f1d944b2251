/**
 * Liveness says that the process answers; readiness checks what the service needs and names the missing part. A check's
 * error may contain hosts or credentials, so the answer shows only the error's class, and the log has the rest.
 */
import type { Log } from '@platform/kernel';

/** Resolves when the part is ready; a returned text says why it is not. Throwing means not ready. */
export type ReadinessCheck = () => Promise<string | void>;

export interface CheckReport {
  readonly ready: boolean;
  readonly reason?: string;
}

export interface ReadinessReport {
  readonly status: 'ready' | 'not_ready';
  readonly checks: Readonly<Record<string, CheckReport>>;
}

const expired = Symbol('expired');

async function runCheck(name: string, check: ReadinessCheck, timeoutMs: number, log: Log): Promise<CheckReport> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<typeof expired>((resolve) => {
    timer = setTimeout(() => resolve(expired), timeoutMs);
  });
  try {
    const answer = await Promise.race([check(), deadline]);
    if (answer === expired) return { ready: false, reason: `no answer within ${timeoutMs} ms` };
    return answer === undefined ? { ready: true } : { ready: false, reason: answer };
  } catch (error) {
    log.warn({ check: name, error }, 'a readiness check failed');
    return { ready: false, reason: error instanceof Error ? error.name : 'unknown error' };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs all checks at once; requests that arrive meanwhile share the run, so probes cannot pile up on a slow part. */
export function createReadiness(checks: Readonly<Record<string, ReadinessCheck>>, timeoutMs: number, log: Log) {
  let underWay: Promise<ReadinessReport> | undefined;
  const run = async (): Promise<ReadinessReport> => {
    const reports = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await runCheck(name, check, timeoutMs, log)] as const),
    );
    const ready = reports.every(([, report]) => report.ready);
    return { status: ready ? 'ready' : 'not_ready', checks: Object.fromEntries(reports) };
  };
  return (): Promise<ReadinessReport> => {
    underWay ??= run().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
