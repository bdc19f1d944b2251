/** Screens of the console: how to open them, and the required content of each. */
import type { Browser, Page } from 'playwright-core';
import type { PlatformAddresses } from '../../support/platform';
import { signIn, visit, type Visit, type VisitOptions } from './browser';
import type { SeededCases } from './seed-cases';

export interface ConsoleAccess {
  readonly platform: PlatformAddresses;
  /** Starts a part again that the suite killed. */
  readonly restart: (part: string) => Promise<void>;
  readonly browser: Browser;
  /** The token of a platform owner. */
  readonly token: string;
}

/** Where the console keeps the token of a tab. */
const tokenKey = 'operator-console.token';

export async function openSignedIn(
  { platform, browser, token }: Pick<ConsoleAccess, 'platform' | 'browser' | 'token'>,
  options?: VisitOptions,
): Promise<Visit> {
  const opened = await visit(browser, options);
  await signIn(opened.page, platform.gatewayUrl, token);
  return opened;
}

/** The tab of a person who signed in before, with nothing opened yet: no login and no work queue are read on the way. */
export async function signedInTab(
  { browser, token }: Pick<ConsoleAccess, 'browser' | 'token'>,
  options?: VisitOptions,
): Promise<Visit> {
  const opened = await visit(browser, options);
  const key = JSON.stringify(tokenKey);
  await opened.page.addInitScript(
    `if (sessionStorage.getItem(${key}) === null) sessionStorage.setItem(${key}, ${JSON.stringify(token)})`,
  );
  return opened;
}

const rawTextsScript = String.raw`(() => {
  const raw = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}|(?<![(\w])[a-z]+(?:[A-Z][a-z]+)+\b/;
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode())
    if (!texts.currentNode.parentElement.closest('code, pre, textarea') && raw.test(texts.currentNode.nodeValue))
      found.push(texts.currentNode.nodeValue);
  return found;
})()`;

/**
 * Instants and names as programs write them, in the texts of a screen. Ids, commands and recorded bodies are code; a key
 * of the provider's metadata is between brackets.
 */
export function rawTexts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(rawTextsScript);
}

export const caseHash = (kind: string, id: string): string => `#/case/${kind}/${encodeURIComponent(id)}`;

/** Name, address, heading, and a text that must be on it. */
export const screensOf = (seeded: SeededCases): [string, string, string, string][] => [
  ['queue', '#/queue', 'Work queue', seeded.lostAfter],
  ['case', caseHash('operation', seeded.lostAfter), 'Credit customer', 'What is not proven'],
  [
    'case-event',
    caseHash('webhook_event', seeded.stoppedEvent),
    'customer.subscription.updated',
    'npm run ops -- resolve webhook-event',
  ],
  [
    'case-creation',
    caseHash('provisioning_attempt', seeded.creation),
    'create workspace Initrode',
    'storage_region_unknown',
  ],
  [
    'case-migration-item',
    caseHash('migration_item', seeded.itemLostBefore),
    'migrate business → pro',
    'What is not proven',
  ],
  [
    'case-migration',
    caseHash('migration', seeded.migration),
    'migrate business → pro',
    'npm run ops -- resolve migration case-migration-1',
  ],
  ['directory', '#/workspaces?query=glob', 'Workspaces', 'billing@globex.example'],
  ['activity', '#/activity', 'Activity', 'Download as CSV'],
  ['workspace', '#/workspaces/acme', 'Acme', 'A transition is pending'],
  ['incident', `#/incident?cause=migration:${seeded.migration}`, 'One cause', seeded.itemLostAfter],
  ['plans', '#/plans', 'Plans', 'Take off sale'],
  ['create', '#/create', 'Create a workspace', 'Makes'],
  ['consumer', '#/consumers/storage', 'storage', 'tenant.receipt.storage'],
  ['migration', `#/migrations/${seeded.migration}`, 'Migrations', '3 of 3'],
  ['migrations', '#/migrations?from=starter&to=pro', 'Migrations', 'Need a person'],
  ['deliveries', '#/deliveries?status=pending', 'Deliveries and consumers', seeded.waitingForConsumer],
  ['webhooks', '#/webhooks?result=reconciliation_required', 'Webhook events', seeded.stoppedEvent],
  ['provisioning', '#/provisioning', 'Provisioning', '1 of 1'],
  ['streams', '#/streams', 'Streams', 'TENANT_LIFECYCLE'],
];
