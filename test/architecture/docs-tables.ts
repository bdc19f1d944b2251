/** The tables of the documentation, generated from the code that they describe. `docs-tables.spec.ts` compares them. */
import { exitCodes } from '@platform/command-line';
import { webhookLimits, webhookCodes } from '@platform/contracts-billing-webhook';
import {
  migrationLimits,
  operatorCodes,
  caseWorkLimits,
  operatorLimits,
  tenantStates,
  webhookEventsListed,
} from '@platform/contracts-operator';
import { lifecycleLimits } from '@platform/contracts-lifecycle-delivery';
import {
  attemptsListed,
  creationLimits,
  extrasLimits,
  listenerLimits,
  providerEventLimits,
} from '@platform/contracts-provisioning';
import { baseCodes, defaultShedLimits } from '@platform/http-server';
import type { StepTable } from '@platform/durable/steps';
import { maxBodyBytes, maxReplyBytes } from '@platform/messaging';
import { maxSeriesPoints } from '@platform/page-runtime';
import { accessBoundMs } from '@platform/workspace-platform/access';
import { outcomeTaxonomy } from '@platform/payment-provider';
import offlineCommands from '../../infra/ops/ops.command.cjs';
import containerCommand from '../containers/containers.command.cjs';
import wspCommand from '../../libs/wsp/src/wsp.command.cjs';
import { webhookSteps } from '../../services/billing-webhook/src/domain/webhook-event';
import { migrationSteps } from '../../services/operator/src/migrations/domain/migration';
import { migrationItemSteps } from '../../services/operator/src/migrations/domain/migration-item';
import { operationSteps } from '../../services/operator/src/operations/domain/operation';
import { admissionSteps } from '../../services/operator/src/provider-events/domain/provider-event';
import { consumerSteps } from '../../services/lifecycle-delivery/src/domain/consumer';
import { deliverySteps } from '../../services/lifecycle-delivery/src/domain/delivery';
import { messageSteps } from '../../services/lifecycle-delivery/src/domain/lifecycle-message';
import { configSchema as provisioningConfig } from '../../services/provisioning/src/config';
import { admissionSteps as eventAdmissionSteps } from '../../services/provisioning/src/domain/event-admission';
import { attemptSteps } from '../../services/provisioning/src/domain/attempt';
import { deletionSteps } from '../../services/provisioning/src/domain/deletion';
import { remainsSteps } from '../../services/provisioning/src/domain/remains';
import { markerSteps } from '../../services/provisioning/src/domain/marker';
import { timelineEntries } from '../../services/provisioning/src/domain/reservation';
import { maxDepth, maxTextCharacters, maxValues } from '../../services/query-builder/src/domain/plain-input';
import { maxFilters } from '../../services/query-builder/src/domain/templates/where';
import { pageCodes } from '../../services/query-builder/src/host/serving/codes';
import { builderCodes } from '../../services/query-builder/src/http/builder-codes';
import { maxSourceBytes } from '../../services/query-builder/src/store/page-project';
import { maxPreviewPoints } from '../../services/query-builder/src/workflows/preview-query';
import { contractRows, refusalRows, servedRows, stepRows } from './action-tables';
import { invariantTable, lawTable } from './invariant-tables';
import { listenerTables } from './listener-tables';
import { table } from './markdown-table';
import { alertTable, commandSections, configurationTables, decisionTable, metricTable } from './reference-tables';

function codes(
  entries: Readonly<
    Record<
      string,
      { readonly status: number; readonly title: string; readonly message: string; readonly nextStep: string }
    >
  >,
): string {
  return table(
    ['Code', 'Status', 'Title', 'What happened', 'What to do'],
    Object.entries(entries).map(([code, { status, title, message, nextStep }]) => [
      `\`${code}\``,
      status,
      title,
      message,
      nextStep,
    ]),
  );
}

function steps({ table: rows }: { readonly table: StepTable }): string {
  const listed = (statuses: readonly string[]) => statuses.map((status) => `\`${status}\``).join(', ');
  const resolved = Object.values(rows).some(({ byResolution }) => byResolution);
  return table(
    ['Status', 'Leaves to', ...(resolved ? ['By a recorded resolution'] : [])],
    Object.entries(rows).map(([from, { to, byResolution = [] }]) => [
      `\`${from}\``,
      to.length > 0 ? listed(to) : byResolution.length > 0 ? 'not left by running code' : 'never left',
      ...(resolved ? [listed(byResolution)] : []),
    ]),
  );
}

const creation = provisioningConfig.parse({
  MONGODB_URL: 'mongodb://any',
  NATS_URL: 'any',
  STRIPE_SECRET_KEY: 'any',
  PLATFORM_MODE: 'local',
});
const configured = (value: number, unit: string, variable: string) => `${value} ${unit} (\`${variable}\`)`;

/** By file and by the name of the marker in it. */
const exitMeanings: { readonly [Code in keyof typeof exitCodes]: readonly [means: string, of: string] } = {
  done: ['done, or the help was asked for', 'every command'],
  failed: ['refused by the record, or failed; the line on standard error says why', 'every command'],
  misused: ['the command line or its environment is invalid: nothing was opened and nothing was done', 'every command'],
  negative: [
    'the answer is no: the question was asked and answered',
    `\`ops\` when ${offlineCommands.negative.replace(/^the answer is no: /, '')}; \`wsp\` when ${wspCommand.negative}; \`audit\` when the registry did not answer; \`containers\` when ${containerCommand.negative}`,
  ],
};

export const documentedTables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/configuration.md': configurationTables,
  'docs/commands.md': { commands: commandSections },
  'docs/decisions/index.md': { decisions: decisionTable },
  'docs/metrics.md': { metrics: metricTable },
  'docs/runbook.md': { alerts: alertTable },
  'docs/contracts.md': { actions: contractRows },
  'docs/workflows.md': { actions: stepRows },
  'services/operator/README.md': { actions: servedRows },
  'docs/operations.md': {
    'exit-codes': table(
      ['Code', 'Means', 'Of'],
      Object.entries(exitMeanings).map(([name, [means, of]]) => [
        `\`${exitCodes[name as keyof typeof exitCodes]}\``,
        means,
        of,
      ]),
    ),
  },
  'docs/errors.md': {
    'action-refusals': refusalRows,
    gateway: codes(operatorCodes),
    webhook: codes(webhookCodes),
    builder: codes(builderCodes),
    pages: codes(pageCodes),
    every: codes(baseCodes),
    taxonomy: table(
      ['What happened', 'Outcome', 'Code', 'Retry useful?'],
      outcomeTaxonomy.map(({ what, outcome, code, retry }) => [
        what,
        outcome === 'unknown' ? '**unknown**' : outcome,
        code ? `\`${code}\`` : '',
        retry,
      ]),
    ),
  },
  'docs/states.md': {
    workspace: table(
      ['State', 'When', 'Access', 'What refuses other changes', 'What may be begun'],
      Object.entries(tenantStates).map(([state, { when, access, fence, actions }]) => [
        `\`${state}\``,
        when,
        access === 'open' ? 'open' : `closed: \`${access}\``,
        fence,
        actions.length === 0 ? '–' : actions.map((action) => `\`${action}\``).join(', '),
      ]),
    ),
    operation: steps(operationSteps),
    migration: steps(migrationSteps),
    'migration-item': steps(migrationItemSteps),
    delivery: steps(deliverySteps),
    message: steps(messageSteps),
    consumer: steps(consumerSteps),
    attempt: steps(attemptSteps),
    deletion: steps(deletionSteps),
    remains: steps(remainsSteps),
    marker: steps(markerSteps),
    webhook: steps(webhookSteps),
    admission: steps(admissionSteps),
    'event-admission': steps(eventAdmissionSteps),
  },
  'docs/limits.md': {
    operator: table(
      ['Limit', 'Value'],
      [
        ['Retry window, from intent creation, by the database clock', `${operatorLimits.retryWindowHours} hours`],
        ['Wait for an outcome when the caller names none', `${operatorLimits.defaultWaitSeconds} seconds`],
        ['Longest wait that `Prefer: wait=n` gets', `${operatorLimits.maximumWaitSeconds} seconds`],
        ['Reason of an action', `1 to ${operatorLimits.reasonCharacters} characters`],
        ['Records of one list page', `1 to ${operatorLimits.listItems}`],
        ['Requests that write, under way at a time in one process', `${defaultShedLimits.writes}`],
        ['Those of one caller: a token, a session or an address', `${defaultShedLimits.writesOfOne}`],
        ['Entries of one case that people work on', `${caseWorkLimits.entries}`],
        ['Note on a case', `1 to ${caseWorkLimits.textCharacters} characters`],
        ['Outcomes of one page of a plan migration', `1 to ${migrationLimits.outcomes}`],
        ['Workspaces of one page of a dry run, each a request to the provider', `1 to ${migrationLimits.previews}`],
        ['Workspaces that a dry run names per reason; the count is exact', `${migrationLimits.namedPerReason}`],
        ['Between two progress events of a plan migration', `${migrationLimits.progressMs} ms`],
        [
          'Provider writes of plan migrations, when no other writer is active',
          '20 per second (`MIGRATION_WRITES_PER_SECOND`)',
        ],
        ['Provider writes from all callers; live calls come first', '100 per second (`PROVIDER_WRITES_PER_SECOND`)'],
        ['Workspaces of one plan migration under way at a time', '4 (`MIGRATION_LANES`)'],
      ],
    ),
    provisioning: table(
      ['Limit', 'Value'],
      [
        ['Lifetime of a reservation', 'none: reservations never expire'],
        [
          'Free workspaces per card',
          configured(creation.FREE_WORKSPACES_PER_CARD, 'workspaces', 'FREE_WORKSPACES_PER_CARD'),
        ],
        ['Trial per e-mail and card identity', configured(creation.TRIAL_DAYS, 'days', 'TRIAL_DAYS')],
        [
          'Creations that one account may start in a sliding hour',
          configured(creation.CREATIONS_PER_HOUR, 'creations', 'CREATIONS_PER_HOUR'),
        ],
        ['Wait for one provisioning listener', configured(creation.LISTENER_TIMEOUT_MS, 'ms', 'LISTENER_TIMEOUT_MS')],
        [
          'Between two reconciliations, which read and never charge',
          configured(creation.RECONCILE_SECONDS, 'seconds', 'RECONCILE_SECONDS'),
        ],
        ['Registered listeners', `${listenerLimits.listeners} listeners`],
        [
          'Extras',
          `an object of ${extrasLimits.bytes} bytes as JSON, ${extrasLimits.keys} keys, ${extrasLimits.levels} levels`,
        ],
        ['Name of a workspace', `1 to ${creationLimits.workspaceNameCharacters} characters`],
        ['Line of a billing profile', `1 to ${creationLimits.profileFieldCharacters} characters`],
        ["The gateway's wait for a creation", `${creationLimits.requestSeconds} seconds`],
        ['Unresolved attempts listed', `the first ${attemptsListed}, oldest first`],
        ['Entries that the timeline of one reservation keeps', `the last ${timelineEntries}`],
      ],
    ),
    webhook: table(
      ['Limit', 'Value'],
      [
        ['Body of a delivery, checked before reading', `${webhookLimits.bodyBytes} bytes`],
        [
          "Distance between a signature's time and ours, in both directions",
          `${webhookLimits.toleranceSeconds} seconds`,
        ],
        ['Wait of a delivery for the outcome of its event', `${webhookLimits.waitMs} ms`],
        [
          'Terminal events are kept',
          `${webhookLimits.retentionDays} days, not below ${webhookLimits.retentionFloorDays} without \`WEBHOOK_SHORT_RETENTION\``,
        ],
        ['Unresolved events and digests are kept', 'permanently'],
        ['Id and type of an event', `1 to ${providerEventLimits.eventIdCharacters} characters`],
        ['Error text of an outcome', `${providerEventLimits.errorCharacters} characters`],
        ['Events of one list page', `1 to ${webhookEventsListed}`],
      ],
    ),
    builder: table(
      ['Limit', 'Value'],
      [
        ['Name of a query or of a bound value', '1 to 64 letters and digits'],
        ['Page path with its endpoint', '200 characters each, 16 segments each'],
        ['Filters of a query', `0 to ${maxFilters}`],
        ['Points of a series', `1 to ${maxSeriesPoints}`],
        ['Points of a preview', `1 to ${maxPreviewPoints}`],
        ['Parameters of a query', `${maxValues} values, nested at most ${maxDepth} deep`],
        ['One text among the parameters', `${maxTextCharacters} characters`],
        ['Source file of a page project', `${maxSourceBytes} bytes`],
      ],
    ),
    lifecycle: table(
      ['Limit', 'Value'],
      [
        ['Receipt id', `1 to ${lifecycleLimits.receiptIdCharacters} characters`],
        ['Error text of a failed delivery', `${lifecycleLimits.errorCharacters} characters`],
        ['Consumers that may register', `${lifecycleLimits.consumers} consumers`],
        ['Receipts and waivers in a settlement; delivery has all on record', `${lifecycleLimits.settledBytes} bytes`],
        ['Messages of one question of a sender', `${lifecycleLimits.messagesPerQuestion} messages`],
        ['Age of an answer on access that a guard goes by', `${accessBoundMs} ms`],
        ['Body of a message', `${maxBodyBytes} bytes`],
        ['Body of a reply to a request', `${maxReplyBytes} bytes`],
      ],
    ),
  },
  'docs/consumer-protocol.md': listenerTables,
  'docs/invariants.md': { invariants: invariantTable },
  'docs/laws.md': { laws: lawTable },
};
