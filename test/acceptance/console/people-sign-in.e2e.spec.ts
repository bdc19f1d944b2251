/**
 * People sign in to the console, teams to their portal and owners to their pages at certified identity providers, in a
 * browser: a gateway of its own on the platform of the run, as a deployment that serves the console apart. The suites of
 * the sign-in cover refusals and the end of sessions.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { freePort } from '@platform/testing';
import type { Browser } from 'playwright-core';
import { serviceParts } from '../../../infra/local/service-parts';
import {
  startCertifiedProvider,
  type StartedProvider,
} from '../../../libs/http-server/src/sign-in/certified-identity-provider.harness';
import { settingsOf } from '../../support/platform';
import { sharedPlatform } from '../../support/shared-platform';
import { describeInBrowser, launchBrowser } from '../../support/browser';
import { takeScreenshots } from '../../support/screenshots';
import { axeFindings, overflow, visit } from './browser';

const root = resolve(__dirname, '../../..');

/** A gateway that serves only the console, with sign-in, beside the platform's own. */
async function startGateway(url: string, provider: StartedProvider, ofOwners: StartedProvider): Promise<ChildProcess> {
  const { portBase, localDir } = await sharedPlatform();
  const part = serviceParts(settingsOf({ portBase, localDir })).find(({ title }) => title === 'operator')!;
  const child = spawn(process.execPath, part.command, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      ...part.environment,
      PORT: new URL(url).port,
      INNER_PORT: '',
      INSTANCE: 'operator-sign-in',
      CONSOLE_ONLY: 'true',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      OIDC_REDIRECT_URL: `${url}/console/signed-in`,
      OIDC_SCOPES: 'openid email groups',
      OIDC_ROLES: '{"admins": "platform_owner", "money": "finance"}',
      OIDC_CONSUMERS: '{"storage-team": "storage", "both-teams": ["storage", "search-index"]}',
      OWNER_OIDC_ISSUER: ofOwners.issuer,
      OWNER_OIDC_CLIENT_ID: ofOwners.clientId,
      OWNER_OIDC_CLIENT_SECRET: ofOwners.clientSecret,
      OWNER_OIDC_REDIRECT_URL: `${url}/account/signed-in`,
    },
  });
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output?.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-2_000)));
  const ready = async (): Promise<boolean> =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await ready())) {
    if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}: ${said}`);
    await new Promise((again) => setTimeout(again, 50));
  }
  return child;
}

describeInBrowser('signing in to the console', () => {
  let url: string;
  let provider: StartedProvider;
  let ofOwners: StartedProvider;
  let gateway: ChildProcess;
  let browser: Browser;

  beforeAll(async () => {
    url = `http://127.0.0.1:${await freePort()}`;
    provider = await startCertifiedProvider(`${url}/console/signed-in`);
    ofOwners = await startCertifiedProvider(`${url}/account/signed-in`);
    gateway = await startGateway(url, provider, ofOwners);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    if (gateway && gateway.exitCode === null && gateway.kill('SIGTERM')) await once(gateway, 'exit');
    await provider?.close();
    await ofOwners?.close();
  });

  async function comeIn(login: string, hash = '', site = '/console') {
    const visited = await visit(browser);
    const { page } = visited;
    await page.goto(`${url}${site}${hash}`);
    await page.getByRole('link', { name: /^Sign in/ }).click();
    await page.locator('input[name="login"]').fill(login);
    await page.locator('input[name="password"]').fill('any');
    await page.locator('button[type="submit"]').click();
    await page.locator('button[type="submit"]').click();
    return visited;
  }

  it('leads back to the screen that the person wanted, without a token anywhere in the page', async () => {
    const { page, complaints } = await comeIn('mara@money', '#/streams');
    await page.getByRole('heading', { level: 1, name: 'Streams' }).waitFor();
    expect(await page.locator('.who').innerText()).toBe('mara@example.com');
    expect(await page.evaluate('document.cookie + JSON.stringify(sessionStorage)')).toBe('{}');
    expect(complaints).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Streams' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${provider.issuer}/**`);
    await page.goto(`${url}/console`);
    await page.getByRole('link', { name: 'Sign in with your organisation' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });

  it('tells a person without a role so, on a page with a way to try again', async () => {
    const { page } = await comeIn('vera@visitors');
    await page.getByRole('heading', { level: 1, name: 'No role' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('This sign-in did not succeed, and nothing was changed');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Operator console' }).click();
    await page.getByRole('link', { name: 'Sign in with your organisation' }).waitFor();
    await page.context().close();
  });

  it('shows a team its own consumer, and of every other one nothing', async () => {
    const { page, requests, complaints } = await comeIn('sue@storage-team', '#/consumers/storage');
    await page.getByRole('heading', { level: 1, name: 'storage' }).waitFor();
    await page.getByRole('heading', { level: 2, name: 'Contract' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Your consumers' }).getByRole('link').allInnerTexts()).toEqual([
      'storage',
    ]);
    expect(await page.getByRole('button', { name: 'Pause storage' }).count()).toBe(0);
    expect([await axeFindings(page), await overflow(page), complaints]).toEqual([[], 0, []]);
    await takeScreenshots(page, 'portal');
    await page.goto(`${url}/console#/consumers/search-index`);
    await page.getByText('There is no consumer search-index, or it is one of another team.').waitFor();
    await page.goto(`${url}/console#/queue`);
    await page.getByRole('heading', { level: 1, name: 'There is no screen at #/queue' }).waitFor();
    expect([await page.title(), await page.locator('h1:focus').count(), await axeFindings(page)]).toEqual([
      'Nothing here – Consumer portal',
      1,
      [],
    ]);
    await page.getByRole('main').getByRole('link', { name: 'storage' }).click();
    await page.getByRole('heading', { level: 1, name: 'storage' }).waitFor();
    const own = /^\/api\/saas\/lifecycle\/consumers\/(storage|search-index)(\/deliveries)?$/;
    expect(requests.filter((path) => path.startsWith('/api/') && !own.test(path))).toEqual([]);
    await page.context().close();
  });

  it('lets a person of two teams go from one consumer to the other', async () => {
    const { page } = await comeIn('tom@both-teams');
    await page.getByRole('heading', { level: 1, name: 'search-index' }).waitFor();
    // Each change of the page is noted with the title that it finds.
    await page.evaluate(`seen = new Set(); new MutationObserver(() =>
      seen.add(document.querySelector('nav [aria-current]').textContent + ' in ' + document.title)
    ).observe(document.body, { subtree: true, childList: true, attributes: true })`);
    await page.getByRole('link', { name: 'storage', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'storage' }).waitFor();
    const titles = await page.evaluate("[...seen].filter((text) => text.startsWith('storage in'))");
    expect(titles).toEqual(['storage in storage – Consumer portal']);
    await page.context().close();
  });

  it('leads an owner who follows a link from a chat to the workspace, and lets them preview a change', async () => {
    const { page, complaints } = await comeIn('billing@globex.example', '#workspace=globex', '/account');
    await page.getByRole('heading', { level: 1, name: 'Globex' }).waitFor();
    expect(await page.evaluate('location.href')).toBe(`${url}/account#workspace=globex`);
    expect(await page.evaluate('document.cookie + JSON.stringify(sessionStorage)')).toBe('{}');
    await page.getByRole('button', { name: 'Cancel the subscription' }).click();
    await page.getByText('What it will do').waitFor();
    expect([await axeFindings(page), complaints]).toEqual([[], []]);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Globex' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${ofOwners.issuer}/**`);
    await page.goto(`${url}/account`);
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await takeScreenshots(page, 'account-sign-in');
    await page.context().close();
  });

  it('shows an owner no workspace that was created with another address', async () => {
    const { page } = await comeIn('pat@globex', '#workspace=globex', '/account');
    await page.getByText('You own no workspace').waitFor();
    await page.context().close();
  });
});
