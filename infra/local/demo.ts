/**
 * `npm run demo`: the main story against the running platform, over HTTP like any client. It ends with a table that is
 * read back from the gateway's records and the provider's ledger, and with exit code 0 only when every expectation was
 * met.
 */
import { runCommand } from '@platform/command-line';
import { changePlan } from './demo/change-plan';
import { createWorkspaces } from './demo/create-workspaces';
import { credit } from './demo/credit';
import { createGatewayClient } from './demo/gateway-client';
import { migratePlan } from './demo/migrate-plan';
import { createPatientClient } from './demo/patient-client';
import { providerTrouble } from './demo/provider-trouble';
import { buildStage, type BuilderStage, type Chapter, type Stage } from './demo/stage';
import { suspendAndReactivate } from './demo/suspend-and-reactivate';
import { createTwinClient } from './demo/twin-client';
import { webhookAndRedelivery } from './demo/webhook-and-redelivery';
import { writeQuery } from './demo/write-query';
import command from './demo.command.cjs';
import { developmentToken, type TokenRequest } from './development-token';
import { seedPlatform } from './seed-platform';
import { findRoot, readSettings, type LocalSettings } from './settings';

const chapters: readonly Chapter[] = [
  createWorkspaces,
  suspendAndReactivate,
  changePlan,
  credit,
  webhookAndRedelivery,
  migratePlan,
  writeQuery,
  providerTrouble,
];

function show(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function assertPlatformRuns({ gatewayUrl, providerUrl }: LocalSettings): Promise<void> {
  if (!providerUrl)
    throw new Error('The demo needs the provider twin; unset STRIPE_SECRET_KEY and start the platform again.');
  const ready = await fetch(`${gatewayUrl}/readyz`).catch(() => undefined);
  if (!ready?.ok)
    throw new Error(
      `No platform is ready at ${gatewayUrl}. Start it with \`npm start\` in another terminal (with the same PORT_BASE and LOCAL_DIR).`,
    );
}

/** A separate workspace per run, so that the demo can be repeated and does not change the seeded ones. */
async function makeWorkspace(settings: LocalSettings, run: string): Promise<string> {
  const tenantId = `demo-${run}`;
  await seedPlatform(settings, [], [{ tenantId, workspaceName: `Demo ${run}`, planId: 'pro', status: 'active' }]);
  return tenantId;
}

async function builderStage(settings: LocalSettings): Promise<BuilderStage> {
  const { root, ports, mongodbUrl, pages } = settings;
  const url = `http://127.0.0.1:${ports.queryBuilder}`;
  const clientFor = async (request: TokenRequest) =>
    createGatewayClient(url, await developmentToken(settings, request));
  const readerOf = (tenantId: string) =>
    clientFor({ role: 'user', workspaces: { [tenantId]: 'member' }, permissions: ['shop.orders.read'] });
  return {
    owner: await clientFor({ role: 'platform_owner' }),
    reader: await readerOf('acme'),
    readerOf,
    root,
    projectDir: pages.pagesDir,
    environment: { ...process.env, MONGODB_URL: mongodbUrl },
  };
}

async function showSummary({ gateway, twin, tenantId }: Stage, operationIds: readonly string[]): Promise<void> {
  const rows = await Promise.all(
    operationIds.map(async (operationId) => {
      const { action, status, attempts, lifecycle } = await gateway.operation(tenantId, operationId);
      const effects = await twin.effects(operationId);
      return [
        operationId,
        action,
        status,
        String(attempts.length),
        String(effects.length),
        (lifecycle?.receipts ?? []).map(({ consumer }) => consumer).join(', ') || '–',
      ];
    }),
  );
  const head = ['operation', 'action', 'status', 'attempts', 'effects', 'receipts'];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  show('\nRead back from the records and the provider’s ledger:\n');
  for (const row of [head, widths.map((width) => '─'.repeat(width)), ...rows]) {
    show(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
  }
}

async function playAll(stage: Stage): Promise<void> {
  for (const [index, chapter] of chapters.entries()) {
    show(`\n[${index + 1}/${chapters.length}] ${chapter.title}`);
    try {
      await chapter.play(stage);
    } catch (error) {
      stage.expect(`the chapter is played to its end`, false, error instanceof Error ? error.message : String(error));
    }
  }
}

async function play(workspaces: number): Promise<number> {
  const settings = readSettings(process.env, findRoot());
  await assertPlatformRuns(settings);
  const startedAt = performance.now();
  const run = Date.now().toString(36);
  const tenantId = await makeWorkspace(settings, run);
  const clientFor = async (request: TokenRequest) =>
    createPatientClient(settings.gatewayUrl, await developmentToken(settings, request));
  show(`Workspace ${tenantId} at ${settings.gatewayUrl}`);
  const { stage, score } = buildStage({
    gateway: await clientFor({ role: 'platform_owner' }),
    owner: await clientFor({ role: 'user', workspaces: { [tenantId]: 'owner' } }),
    builder: await builderStage(settings),
    twin: createTwinClient(settings.providerUrl ?? '', settings.secrets.providerKey),
    tenantId,
    run,
    workspaces,
    person: (email) => clientFor({ role: 'user', email }),
    addWorkspaces: async (rows) => void (await seedPlatform(settings, [], rows)),
    show,
  });
  await playAll(stage);
  const { met, missed, operationIds } = score();
  await showSummary(stage, operationIds);
  show(
    `\n${met} expectations held, ${missed.length} did not (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)`,
  );
  missed.forEach((sentence) => show(`  ✗ ${sentence}`));
  return missed.length === 0 ? 0 : 1;
}

void runCommand(command, ({ values }) => play(values.workspaces));
