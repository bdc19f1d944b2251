/**
 * The investigations of the console, in containers: real faults stop the work, the `ops` image reads it, and the
 * command that the gateway prints for an approved proposal ends it.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseView, ProposalView } from '@platform/contracts-operator';
import type { GatewayClient } from '../../infra/local/demo/gateway-client';
import { eventually } from '@platform/testing';
import { developmentToken, type TokenRequest } from '../../infra/local/development-token';
import { readSettings } from '../../infra/local/settings';
import { seedCases, type SeededCases } from '../acceptance/console/seed-cases';
import { endings, proof, type Ending } from '../acceptance/console/endings';
import type { Ran } from './run';
import type { Scene, Stage } from './stage';
import { rolled } from './stand-ins';

/** What `ops show` reads, and the text that it must print. */
const shown: readonly (readonly [string, (seeded: SeededCases) => string, RegExp])[] = [
  ['operation', ({ lostAfter }) => lostAfter, /reconciliation_required/],
  ['operation', ({ lostBefore }) => lostBefore, /reconciliation_required/],
  ['operation', ({ refused }) => refused, /"failed"/],
  ['operation', ({ declined }) => declined, /card_declined|payment_declined|declined/],
  ['operation', ({ done }) => done, /"succeeded"/],
  ['operation', ({ waitingForConsumer }) => waitingForConsumer, /awaiting_receipts/],
  ['operation', ({ checkout }) => checkout, /awaiting/],
  ['operation', ({ interrupted }) => interrupted, /superseded|not_proven/],
  ['webhook-event', ({ stoppedEvent }) => stoppedEvent, /reconciliation_required/],
  ['migration-item', ({ itemLostBefore }) => itemLostBefore, /reconciliation_required/],
  ['migration', ({ migration }) => migration, /reconciliation_required/],
  ['provisioning-attempt', ({ creation }) => creation, /storage_region_unknown/],
];

/** Waits for this part alone, because other parts are stopped on purpose. */
async function started({ deployment, engine }: Stage, part: string): Promise<void> {
  await deployment.compose('start', part);
  const id = await deployment.containerOf(part);
  await eventually(
    async () => (await engine.docker(['inspect', '--format', '{{.State.Health.Status}}', id])).trim() === 'healthy',
    { describe: `${part} is healthy again`, deadlineMs: 120_000 },
  );
}

/** The faults of this suite kill and restart a single process, so each service has exactly one. */
async function seeded(stage: Stage): Promise<SeededCases> {
  const { deployment, root } = stage;
  const settings = readSettings(deployment.environment(), root);
  await deployment.compose('stop', ...rolled.map((name) => `${name}-2`));
  return seedCases(
    {
      ...settings,
      twinUrl: settings.providerUrl!,
      token: (request: TokenRequest) => developmentToken(settings, request),
      kill: async (part) => void (await deployment.compose('kill', part)),
      restart: (part) => started(stage, part),
    },
    settings,
  );
}

/** Hands a person's file to a container as the documents describe. */
function handedOver({ deployment }: Stage, name: string, text: string): readonly string[] {
  const file = join(deployment.environment()['LOCAL_DIR']!, name);
  writeFileSync(file, text);
  chmodSync(file, 0o444);
  return ['-v', `${file}:/run/${name}:ro`];
}

/** Runs the printed command, `docker compose run --rm ops …`, with its files mounted. */
async function runLine(stage: Stage, view: ProposalView, token: string): Promise<Ran> {
  const [, line = ''] = /^docker compose run --rm ops (.*)$/.exec(view.command ?? '') ?? [];
  const mounts = [...handedOver(stage, 'cleo.token', token)];
  const words = line.replace('<file with your token>', '/run/cleo.token').split(' ');
  const at = words.indexOf('--proposal') + 1;
  const name = words[at] ?? '';
  if (name.endsWith('.json')) {
    mounts.push(...handedOver(stage, name, JSON.stringify(view.proposal)));
    words[at] = `/run/${name}`;
  }
  return stage.deployment.tryCompose('run', '--rm', '-T', ...mounts, 'ops', ...words, '--yes');
}

/** The provider object that the case shows last. */
async function objectOf(client: GatewayClient, { kind, outcome }: Ending, id: string): Promise<string | null> {
  if (outcome !== 'applied') return null;
  const { body } = await client.get<CaseView>(`/api/saas/cases/${kind}?id=${encodeURIComponent(id)}`);
  return body.provider.objects.at(-1)?.id ?? null;
}

async function end(stage: Stage, [what, ending]: (typeof endings)[number], of: SeededCases): Promise<void> {
  const person = (name: string): TokenRequest => ({ role: 'platform_owner', email: `${name}@example.com` });
  const [ann, ben] = [await stage.gateway(person('ann')), await stage.gateway(person('ben'))];
  const id = ending.id(of);
  const prepared = await ann.post<ProposalView>('/api/saas/proposals', {
    kind: ending.record,
    id,
    executorStopped: proof,
    outcome: ending.outcome,
    providerObject: await objectOf(ann, ending, id),
  });
  const approved = await ben.post<ProposalView>(
    `/api/saas/proposals/${prepared.body.proposal?.statement.proposalId}/approval`,
    { proposal: prepared.body.digest },
  );
  const settings = readSettings(stage.deployment.environment(), stage.root);
  const ran = await runLine(stage, approved.body, await developmentToken(settings, person('cleo')));
  stage.expect(
    `two people end the investigation of ${what}: ${ending.becomes}`,
    ran.code === 0 && ran.output.includes(ending.becomes),
    JSON.stringify([prepared.status, prepared.body, approved.status, ran.output]),
  );
}

export const investigations: Scene = {
  name: 'investigations',
  title: 'Every kind of stop, read and ended with the ops image (then the deployment starts again)',
  async play(stage) {
    const of = await seeded(stage);
    for (const [noun, idOf, says] of shown) {
      const { code, output } = await stage.deployment.ops('show', noun, idOf(of), '--json');
      stage.expect(`ops show ${noun} ${idOf(of)} says what happened`, code === 0 && says.test(output), output);
    }
    for (const ending of endings) await end(stage, ending, of);
    const audit = await stage.deployment.ops('audit', 'verify');
    stage.expect('ops audit verify finds every trail whole afterwards', audit.code === 0, audit.output);
    // The next scenes expect the seeded data.
    await stage.startFresh();
  },
};
