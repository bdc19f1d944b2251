/**
 * The short form of `npm run redteam`: the same attacks in smaller number, on the platform of the run, without limits
 * on time.
 */
import { createRandom, proofSize } from '@platform/testing';
import { settingsOf } from '../support/platform';
import { sharedPlatform, type SharedPlatform } from '../support/shared-platform';
import { attackRoutes, breachOf } from './attack-routes';
import { attackWebhooks } from './attack-webhooks';
import { crowdBreachesOf, crowdReads, type CrowdReport } from './crowd-reads';
import {
  askInBursts,
  burstBreachesOf,
  floodBreachesOf,
  floodQuestions,
  type BurstReport,
  type FloodReport,
} from './flood-questions';
import { createRequests } from './generate-requests';
import { breachesOf, holdConnections, overload, type OverloadReport } from './overload';
import { personAtWork, targetsOf, tokensOf } from './stage';

const own = 'redteam-own';
const requests = proofSize({ lean: 400, full: 6_000 });
/** Only a request that hangs takes so long. */
const patienceMs = 120_000;
let platform: SharedPlatform;

beforeAll(async () => {
  platform = await sharedPlatform();
  await platform.seed([{ tenantId: own, planId: 'starter' }]);
});

describe('generated requests', () => {
  it('get an answer that tells nothing of the program, from every service, and end none', async () => {
    const { localDir, portBase } = platform;
    const report = await attackRoutes({
      targets: targetsOf(settingsOf({ portBase, localDir })),
      seed: 4_711,
      requests,
      own,
      tokens: await tokensOf(localDir, own),
      // Other suites use the plans, the pages, the migrations and the proposals of this platform.
      spares: ({ method, path }) => method !== 'GET' && !path.startsWith('/api/saas/workspaces/'),
    });
    expect(report.breaches).toEqual([]);
    expect(Object.keys(report.answers)).toEqual(expect.arrayContaining(['400', '401', '403', '404']));
    expect(report.played).toBeGreaterThan(requests / 4);
    expect(report.judged).toBeGreaterThan(report.played / 4);
  });

  it('are the same for the same seed, and reach past every check', () => {
    const document = {
      paths: {
        '/a/{tenantId}': { post: { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } } },
      },
    };
    const made = (seed: number) => {
      const { next } = createRequests(document, createRandom(seed), own, ['']);
      return Array.from({ length: 200 }, next);
    };
    expect(made(1)).toEqual(made(1));
    expect(made(1)).not.toEqual(made(2));
    expect(made(1).some(({ body }) => body?.includes('__proto__'))).toBe(true);
  });

  it.each([
    [{ status: 500, text: '{"code":"internal_error"}', contentType: 'application/problem+json' }, /^500/],
    [{ status: 0, text: 'ECONNRESET', contentType: '' }, /no answer/],
    [
      {
        status: 400,
        text: '{"code":"x","detail":"TypeError: y at z (/app/main.js)"}',
        contentType: 'application/problem+json',
      },
      /words of the program/,
    ],
    [{ status: 404, text: '{}', contentType: 'application/problem+json' }, /without a code/],
  ])('would be seen as a breach: %j', (answer, words) => {
    expect(breachOf({ ...answer, milliseconds: 1 })).toMatch(words);
  });
});

describe('events that the provider has not signed so', () => {
  it('are refused one and all, and break nothing', async () => {
    const { localDir, portBase } = platform;
    const { ports, secrets } = settingsOf({ portBase, localDir });
    const url = `http://127.0.0.1:${ports.billingWebhook}`;
    const report = await attackWebhooks({ url, secret: secrets.webhookSecret, seed: 4_711, requests: 120 });
    expect(report.breaches).toEqual([]);
    expect(Object.keys(report.answers).every((status) => Number(status) >= 400 && Number(status) < 500)).toBe(true);
  });
});

describe('one address with all its connections', () => {
  it('disturbs no other client', async () => {
    const answers = await holdConnections(platform.gatewayUrl, '/console/session', 700, '127.0.0.2');
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });
});

describe('a team that asks without end', () => {
  const fine: FloodReport = {
    asked: 1_000,
    personAsked: 9,
    personAnswered: 9,
    personP95Ms: 400,
    otherAsked: 9,
    otherAnswered: 9,
    otherP95Ms: 400,
  };

  it('leaves no person and no other team without an answer', async () => {
    const { gatewayUrl, localDir, portBase, token } = platform;
    const headers = { authorization: `Bearer ${await token({ role: 'platform_owner' })}` };
    const report = await floodQuestions({
      settings: settingsOf({ portBase, localDir }),
      seconds: 2,
      connections: 2,
      questionsAtATime: 20,
      questionsAtLeast: 201,
      // Whether an answer comes is judged here; how soon depends on the machine and is measured by the command.
      answerWithinMs: patienceMs,
      person: async () => (await fetch(`${gatewayUrl}/api/saas/workspaces/${own}/admin-state`, { headers })).ok,
    });
    expect(report.asked).toBeGreaterThan(200);
    expect(floodBreachesOf({ ...report, personP95Ms: 0, otherP95Ms: 0 })).toEqual([]);
  });

  it('is refused what exceeds its own share, and no question of another team is', async () => {
    const { localDir, portBase } = platform;
    const report = await askInBursts({
      settings: settingsOf({ portBase, localDir }),
      bursts: 5,
      questions: 500,
      answerWithinMs: patienceMs,
    });
    expect(burstBreachesOf(report)).toEqual([]);
    expect(report).toMatchObject({ asked: 2_500, otherAsked: 10 });
  });

  it.each<[Partial<BurstReport>, RegExp]>([
    [{ refused: 0, answered: 1_000, unboundedBursts: 2 }, /2 bursts of one team were taken/],
    [{ otherAnswered: 3 }, /1 questions of another team/],
    [{ answered: 60 }, /4 questions .* neither answered nor refused/],
  ])('would be reported where shares are unfair: %j', (unfair, words) => {
    const fair = { asked: 1_000, answered: 64, refused: 936, unboundedBursts: 0, otherAsked: 4, otherAnswered: 4 };
    expect(burstBreachesOf(fair)).toEqual([]);
    expect(burstBreachesOf({ ...fair, ...unfair })).toEqual([expect.stringMatching(words)]);
  });

  it('would be reported where it does', () => {
    expect(floodBreachesOf(fine)).toEqual([]);
    const broken = { personAnswered: 8, personP95Ms: 1_001, otherAnswered: 0, otherP95Ms: 1_001 };
    expect(floodBreachesOf({ ...fine, ...broken })).toHaveLength(4);
  });
});

describe('more clients than can be served', () => {
  it('are answered or refused, every one; people and probes are answered meanwhile', async () => {
    const { gatewayUrl, localDir, portBase, token } = platform;
    const headers = { authorization: `Bearer ${await token({ role: 'platform_owner' })}` };
    const { probes } = targetsOf(settingsOf({ portBase, localDir }))[0]!;
    const report = await overload({
      url: gatewayUrl,
      probes,
      clients: 150,
      seconds: 3,
      paths: ['/api/saas/operations', `/api/saas/workspaces/${own}/admin-state`, '/api/saas/work-queue'],
      headers,
      operator: await personAtWork(platform, own, patienceMs),
    });
    expect(report).toMatchObject({ lost: 0, probesAnswered: true, operatorAnswered: report.operatorCalls });
    expect(report.accepted).toBeGreaterThan(0);
    for (const figure of [
      report.ownDelayP95Ms,
      report.gatewayDelayP99Ms,
      report.gatewayCpuSeconds,
      report.peakMegabytes,
    ])
      expect(figure).toBeGreaterThan(0);
    expect(breachesOf({ ...report, acceptedP95Ms: 0 })).toEqual([]);
  });

  it('would be reported where a promise breaks', () => {
    const fine: OverloadReport = {
      accepted: 10,
      refused: 5,
      lost: 0,
      acceptedP95Ms: 900,
      refusedP95Ms: 5,
      operatorCalls: 3,
      operatorAnswered: 3,
      operatorP95Ms: 40,
      operatorRefusals: [],
      probesAnswered: true,
      peakMegabytes: 200,
      ownDelayP95Ms: 12,
      gatewayDelayP99Ms: 40,
      gatewayCpuSeconds: 20,
    };
    expect(breachesOf(fine)).toEqual([]);
    const broken = {
      accepted: 0,
      lost: 1,
      acceptedP95Ms: 1_001,
      operatorAnswered: 2,
      operatorRefusals: ['TimeoutError'],
      probesAnswered: false,
      peakMegabytes: 600,
    };
    expect(breachesOf({ ...fine, ...broken })).toHaveLength(6);
  });
});

describe('one caller with a crowd of reads', () => {
  const crowds = proofSize({ lean: 3, full: 10 });

  it('is refused what exceeds its own share, and no read of another caller is', async () => {
    const { gatewayUrl, token } = platform;
    const as = async (email: string) => ({
      authorization: `Bearer ${await token({ role: 'platform_owner', email })}`,
    });
    const report = await crowdReads({
      url: gatewayUrl,
      path: '/api/saas/work-queue',
      reads: 300,
      crowds,
      crowdsMax: 400,
      crowd: await as('crowd@example.com'),
      person: await as('beside@example.com'),
    });
    expect(crowdBreachesOf(report, crowds)).toEqual([]);
    expect(report.personAsked).toBeGreaterThanOrEqual(3 * crowds);
  });

  it.each<[Partial<CrowdReport>, RegExp]>([
    [{ fullCrowds: crowds - 1 }, /only \d+ of \d+ crowds/],
    [{ personAnswered: 9, personRefusals: [503] }, /1 reads beside .* got 503/],
    [{ answered: 140 }, /10 reads of a crowd/],
  ])('would be reported where callers have no share: %j', (unfair, words) => {
    const fair: CrowdReport = {
      asked: 300,
      answered: 150,
      refused: 150,
      fullCrowds: crowds,
      personAsked: 10,
      personAnswered: 10,
      personRefusals: [],
    };
    expect(crowdBreachesOf(fair, crowds)).toEqual([]);
    expect(crowdBreachesOf({ ...fair, ...unfair }, crowds)).toEqual([expect.stringMatching(words)]);
  });
});
