/**
 * Each history is played in a thread of its own: packages keep state for their whole thread (caches, counters, ids that
 * are drawn once), and a history must not depend on the ones before it.
 */
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { playProcesses, type ProcessPlan, type ProcessResult } from './play';

interface Given {
  readonly processes: ProcessPlan;
}

type Answer = { readonly result: ProcessResult } | { readonly defect: string };

/** The thread's side. */
export function servesHistory(): void {
  const { processes: plan } = workerData as Given;
  const port = parentPort;
  if (!port) return;
  void playProcesses(plan).then(
    (result) => port.postMessage({ result } satisfies Answer),
    (error: unknown) => port.postMessage({ defect: String((error as Error).stack) } satisfies Answer),
  );
}

/** Plays one history in a new thread of a bundle. Rejects for a defect of the simulation itself. */
export function playApart(plan: ProcessPlan, bundle = __filename): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(bundle, { workerData: { processes: plan } satisfies Given, stdout: false });
    worker.once('error', reject);
    worker.once('message', (answer: Answer) => {
      void worker.terminate();
      if ('result' in answer) resolve(answer.result);
      else reject(new Error(`seed ${plan.seed}: ${answer.defect}`));
    });
  });
}
