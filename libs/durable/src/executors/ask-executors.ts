/**
 * What is known of the executors that records name. The answer is `alive` only when that very process, asked now,
 * confirms that it is doing the work. Silence proves nothing (law 4): it is reported together with the last sign of
 * life.
 */
import { executorSubject, ok, type Executor, type ExecutorKnowledge } from '@platform/kernel';
import type { Endpoint, Messaging } from '@platform/messaging';
import type { IncarnationRecord, IncarnationRecords } from '@platform/service-host';
import { z } from 'zod';
import type { WorkRegister } from './work-register';

/** A piece of work, and the process that is recorded as its executor. */
export interface ExecutorQuestion {
  readonly key: string;
  readonly executor: Executor;
  /** The executor's last write of the record; the later of this and its last heartbeat counts. */
  readonly wroteAt?: Date;
}

/** Answers in the order of the questions. Throws StoreUnavailableError when the register of boots cannot be read. */
export type AskExecutors = (questions: readonly ExecutorQuestion[]) => Promise<readonly ExecutorKnowledge[]>;

/** How long an answer is awaited; when no process listens, the broker says so at once. */
const executorWaitMs = 800;
/** The most pieces of work in one request. */
const keysPerQuestion = 200;

const workSchema = z.object({
  work: z.array(
    z.object({
      key: z.string(),
      unrecorded: z.object({ since: z.string(), reason: z.string() }).optional(),
    }),
  ),
});
const questionSchema = z.object({ keys: z.array(z.string().max(500)).max(keysPerQuestion) });

type Work = z.infer<typeof workSchema>['work'];

/** Answers, at the address of this boot alone, which of the named pieces of work this process is doing. */
export function workEndpoint(executor: Executor, register: Pick<WorkRegister, 'find'>): Endpoint {
  return {
    name: 'work',
    subject: executorSubject(executor),
    answer: async (body) => {
      const asked = questionSchema.safeParse(body);
      if (!asked.success)
        return { ok: false, error: { code: 'invalid_request', message: 'a question names up to 200 keys' } };
      return ok({ work: workIn(register, asked.data.keys) });
    },
  };
}

function workIn(register: Pick<WorkRegister, 'find'>, keys: readonly string[]): Work {
  return keys.flatMap((key) => {
    const found = register.find(key);
    if (!found) return [];
    const { unrecorded } = found;
    return [{ key, ...(unrecorded && { unrecorded: { ...unrecorded, since: unrecorded.since.toISOString() } }) }];
  });
}

export interface AskingPorts {
  readonly messaging: Pick<Messaging, 'request'>;
  readonly boots: { findById(id: string): Promise<IncarnationRecord | null> };
  /** The identity of the asking process, so that its own work is looked up without a request. */
  readonly own?: { readonly executor: Executor; readonly register: Pick<WorkRegister, 'find'> };
  readonly now: () => Date;
}

/** Sends one request per named process, all at the same time. */
export function createAskExecutors(ports: AskingPorts): AskExecutors {
  return async (questions) => {
    const keysOf = new Map<string, { readonly executor: Executor; readonly keys: Set<string> }>();
    for (const { key, executor } of questions) {
      const asked = keysOf.get(executor.incarnation) ?? { executor, keys: new Set<string>() };
      asked.keys.add(key);
      keysOf.set(executor.incarnation, asked);
    }
    const answers = new Map(
      await Promise.all(
        [...keysOf].map(async ([incarnation, { executor, keys }]) => {
          const boot = await ports.boots.findById(incarnation);
          const work = boot?.stoppedAt ? null : await askOne(ports, executor, [...keys]);
          return [incarnation, { boot, work }] as const;
        }),
      ),
    );
    return questions.map(({ key, executor, wroteAt }) => {
      const { boot, work } = answers.get(executor.incarnation)!;
      return knowledgeOf(boot, work, { key, wroteAt }, ports.now());
    });
  };
}

/** Null: no answer, or none to a part of the question. */
async function askOne({ messaging, own }: AskingPorts, executor: Executor, keys: string[]): Promise<Work | null> {
  if (own && own.executor.incarnation === executor.incarnation) return workIn(own.register, keys);
  const pages: string[][] = [];
  for (let at = 0; at < keys.length; at += keysPerQuestion) pages.push(keys.slice(at, at + keysPerQuestion));
  const answers = await Promise.all(pages.map((page) => askPage(messaging, executor, page)));
  return answers.every((work) => work !== null) ? answers.flat() : null;
}

async function askPage(messaging: AskingPorts['messaging'], executor: Executor, keys: string[]): Promise<Work | null> {
  const answer = await messaging.request(executorSubject(executor), { keys }, executorWaitMs);
  const decoded = answer.ok ? workSchema.safeParse(answer.value) : null;
  return decoded?.data?.work ?? null;
}

function knowledgeOf(
  boot: IncarnationRecord | null,
  work: Work | null,
  { key, wroteAt }: { readonly key: string; readonly wroteAt: Date | undefined },
  now: Date,
): ExecutorKnowledge {
  const found = work?.find((each) => each.key === key);
  if (found)
    return {
      state: 'alive',
      lastHeardOf: now.toISOString(),
      ...(found.unrecorded && { unrecorded: found.unrecorded }),
    };
  const gone = boot?.resolution;
  const signs = [boot?.stoppedAt, boot?.lastHeardAt, boot?.startedAt, boot && wroteAt].filter(
    (sign) => sign instanceof Date,
  );
  const heard = signs.length > 0 ? new Date(Math.max(...signs.map(Number))).toISOString() : undefined;
  const known = {
    ...(heard && { lastHeardOf: heard }),
    ...(gone && { declaredGone: { by: gone.by, at: gone.at.toISOString(), proof: gone.executorStopped } }),
  };
  if (work) return { ...known, state: 'not_under_way', lastHeardOf: now.toISOString() };
  if (!boot) return { state: 'unknown' };
  if (boot.stoppedAt) return { ...known, state: 'stopped' };
  if (gone) return { ...known, state: 'declared_gone' };
  return { ...known, state: boot.supersededBy ? 'superseded' : 'not_proven' };
}

/** Whether a process says that it works on a piece of work, also one of which there is no record yet. */
export type IsUnderWay = (key: string) => Promise<boolean>;

/** The most boots that are asked. */
const bootsAsked = 100;

/** Asks every boot of the service without a recorded end. Throws StoreUnavailableError. */
export function createIsUnderWay(
  boots: Pick<IncarnationRecords, 'find'>,
  service: string,
  askExecutors: AskExecutors,
): IsUnderWay {
  const filter = { service, stoppedAt: { $exists: false }, supersededBy: { $exists: false } };
  return async (key) => {
    const open = await boots.find(filter, { sort: { instance: 1, startedAt: 1, _id: 1 }, limit: bootsAsked });
    const known = await askExecutors(
      open.map(({ _id: incarnation, instance }) => ({ key, executor: { service, instance, incarnation } })),
    );
    return known.some(({ state }) => state === 'alive');
  };
}
