/**
 * `npm run redteam`: runs every attack of this repository on a separate platform and separate brokers, for as long as
 * requested. `npm test` runs a short form of each attack.
 */
import { exitCodes, Misuse, runCommand, type CommandValues } from '@platform/command-line';
import { pagesAudience } from '../../infra/local/settings';
import { attackAsTeams, startBroker } from '../../infra/nats/teams.harness';
import { startPlatform, settingsOf, type TestPlatform } from '../support/platform';
import { attackRoutes } from './attack-routes';
import { attackWebhooks } from './attack-webhooks';
import { crowdBreachesOf, crowdReads } from './crowd-reads';
import { breachesOf, holdConnections, overload } from './overload';
import { askInBursts, burstBreachesOf, floodBreachesOf, floodQuestions } from './flood-questions';
import command from './redteam.command.cjs';
import { personAtWork, targetsOf, tokensOf } from './stage';

type Values = CommandValues<typeof command>;

const show = (line: string): void => void process.stdout.write(`${line}\n`);

interface Scene {
  readonly name: string;
  readonly play: (platform: () => Promise<TestPlatform>, values: Values, seed: number) => Promise<readonly string[]>;
}

const scenes: readonly Scene[] = [
  {
    name: 'broker',
    play: async (_platform, { attempts }) => {
      const breaches: string[] = [];
      for (const members of [1, 3] as const) {
        const broker = await startBroker(undefined, members);
        const report = await attackAsTeams(broker, attempts).finally(() => broker.stop());
        show(`  ${report.played} attempts on ${members} server${members === 1 ? '' : 's'}`);
        breaches.push(...report.breaches.map(({ team, what }) => `${team} on ${members}: ${what}`));
      }
      return breaches;
    },
  },
  {
    name: 'connections',
    play: async (platform) => {
      const { gatewayUrl } = await platform();
      const answers = await holdConnections(gatewayUrl, '/console/session', 2_000, '127.0.0.2');
      const wrong = answers.filter(({ status }) => status !== 200);
      show(
        `  2,000 connections of one address; ${answers.length - wrong.length} of ${answers.length} answers to another`,
      );
      return wrong.map(({ status, text }) => `another address got ${status} ${text.slice(0, 100)}`);
    },
  },
  {
    name: 'webhooks',
    play: async (platform, { requests }, seed) => {
      const { portBase, localDir } = await platform();
      const settings = settingsOf({ portBase, localDir });
      const url = `http://127.0.0.1:${settings.ports.billingWebhook}`;
      const secret = settings.secrets.webhookSecret;
      const report = await attackWebhooks({ url, secret, seed, requests: Math.ceil(requests / 10) });
      show(`  ${report.played} forged events: ${JSON.stringify(report.answers)}`);
      return report.breaches;
    },
  },
  {
    name: 'overload',
    play: async (platform, { clients, seconds }) => {
      const { gatewayUrl, portBase, localDir, token } = await platform();
      const headers = { authorization: `Bearer ${await token({ role: 'platform_owner' })}` };
      const { probes } = targetsOf(settingsOf({ portBase, localDir }))[0]!;
      const paths = ['operations', 'workspaces/acme/admin-state', 'work-queue', 'activity'].map(
        (each) => `/api/saas/${each}`,
      );
      const operator = await personAtWork({ gatewayUrl, token }, 'acme');
      const report = await overload({ url: gatewayUrl, probes, clients, seconds, paths, headers, operator });
      show(`  ${JSON.stringify(report)}`);
      return breachesOf(report);
    },
  },
  {
    name: 'crowd',
    play: async (platform) => {
      const { gatewayUrl, token } = await platform();
      const as = async (email: string) => ({
        authorization: `Bearer ${await token({ role: 'platform_owner', email })}`,
      });
      const [crowd, person] = [await as('crowd@example.com'), await as('beside@example.com')];
      const crowds = 20;
      const path = '/api/saas/work-queue';
      const report = await crowdReads({
        url: gatewayUrl,
        path,
        reads: 300,
        crowds,
        crowdsMax: 200,
        crowd,
        person,
      });
      show(`  ${JSON.stringify(report)}`);
      return crowdBreachesOf(report, crowds);
    },
  },
  {
    name: 'questions',
    play: async (platform) => {
      const { gatewayUrl, portBase, localDir, token } = await platform();
      const headers = { authorization: `Bearer ${await token({ role: 'platform_owner' })}` };
      const address = `${gatewayUrl}/api/saas/workspaces/acme/admin-state`;
      const report = await floodQuestions({
        settings: settingsOf({ portBase, localDir }),
        seconds: 10,
        connections: 8,
        questionsAtATime: 20,
        person: async () => (await fetch(address, { headers, signal: AbortSignal.timeout(10_000) })).ok,
        answerWithinMs: 2_000,
      });
      show(`  ${JSON.stringify(report)}`);
      const bursts = await askInBursts({
        settings: settingsOf({ portBase, localDir }),
        bursts: 20,
        questions: 2_000,
        answerWithinMs: 60_000,
      });
      show(`  ${JSON.stringify(bursts)}`);
      return [...floodBreachesOf(report), ...burstBreachesOf(bursts)];
    },
  },
  {
    name: 'requests',
    play: async (platform, { requests }, seed) => {
      const { portBase, localDir } = await platform();
      const settings = settingsOf({ portBase, localDir });
      const tokens = await tokensOf(localDir, 'acme');
      const report = await attackRoutes({
        targets: targetsOf(settings),
        seed,
        requests,
        own: 'acme',
        tokens,
        alone: true,
      });
      show(
        `  ${report.played} requests, ${report.judged} answers held against the documents (audiences up to ${pagesAudience}): ${JSON.stringify(report.answers)}`,
      );
      return report.breaches;
    },
  },
];

async function redteam(values: Values, words: readonly string[]): Promise<number> {
  const seed = values.seed ?? Date.now() % 1_000_000;
  const wanted = scenes.filter(({ name }) => words.length === 0 || words.includes(name));
  const unknown = words.filter((word) => !scenes.some(({ name }) => name === word));
  if (unknown.length > 0)
    throw new Misuse(
      `there is no attack ${unknown.join(', ')}; there are ${scenes.map(({ name }) => name).join(', ')}`,
    );
  let started: Promise<TestPlatform> | undefined;
  const platform = (): Promise<TestPlatform> => (started ??= startPlatform({}));
  let breaches = 0;
  show(`red team, seed ${seed}`);
  try {
    for (const { name, play } of wanted) {
      show(name);
      const found = await play(platform, values, seed);
      breaches += found.length;
      for (const each of found.slice(0, 20)) show(`  BREACH ${each}`);
      if (found.length > 20) show(`  and ${found.length - 20} more`);
    }
  } finally {
    await (await started)?.stop();
  }
  show(breaches === 0 ? 'nothing got through' : `${breaches} got through; play them again with --seed ${seed}`);
  return breaches === 0 ? 0 : exitCodes.failed;
}

void runCommand(command, ({ values, words }) => redteam(values, words));
