/**
 * People sign in to the pages and the studio at a certified identity provider, in a browser. The suite of the sign-in
 * covers refusals.
 */
import { freePort } from '@platform/testing';
import type { Browser, Page } from 'playwright-core';
import {
  startCertifiedProvider,
  type StartedProvider,
} from '../../../libs/http-server/src/sign-in/certified-identity-provider.harness';
import { describeInBrowser, launchBrowser, waitMs } from '../../support/browser';
import { startPageService, type PageService } from './page-service';

describeInBrowser('signing in to the pages', () => {
  let provider: StartedProvider;
  let service: PageService;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const port = await freePort();
    const redirectUrl = `http://127.0.0.1:${port}/dms/pages-signed-in`;
    provider = await startCertifiedProvider(redirectUrl);
    service = await startPageService({
      rows: 1_000,
      env: {
        PORT: String(port),
        JWT_PUBLIC_KEYS: '',
        JWKS_URL: `${provider.issuer}/jwks`,
        JWT_ISSUER: provider.issuer,
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: provider.clientId,
        OIDC_CLIENT_SECRET: provider.clientSecret,
        OIDC_REDIRECT_URL: redirectUrl,
      },
    });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await provider?.close();
  });
  beforeEach(async () => {
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(waitMs);
  });
  afterEach(() => page.context().close());

  const signIn = async (login: string): Promise<void> => {
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
    await page.locator('input[name=login]').fill(login);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click();
  };

  it('leads a reader back to the page that was asked for, until the reader leaves', async () => {
    await page.goto(`${service.url}/dms/pages/shop/orders`);
    await signIn('tom@readers');
    await page.getByText('tom@example.com').waitFor();
    expect(page.url()).toBe(`${service.url}/dms/pages/shop/orders`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in with your organisation' }).waitFor();
    expect((await page.goto(`${service.url}/dms/pages/shop/orders`))?.status()).toBe(401);
  });

  it('opens the studio to a platform owner, who sees the queries and can change one', async () => {
    await page.goto(`${service.url}/dms/studio`);
    await signIn('mara@owners');
    await page.getByRole('navigation', { name: 'Pages and queries' }).getByText('/shop/orders').first().waitFor();
    const asked = (site: string): Promise<number> =>
      page.evaluate(
        `fetch('/api/builder/SaveDraft', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ pageRef: '/shop/orders', input: { name: '${site}', template: 'count' } }) }).then(({ status }) => status)`,
      );
    expect(await asked('mine')).toBe(200);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL((url) => !url.href.startsWith(`${service.url}/dms/studio`));
    expect((await page.goto(`${service.url}/dms/studio`))?.status()).toBe(200);
    expect(await asked('gone')).toBe(401);
  });

  it('says to a person who is no platform owner why the studio is closed', async () => {
    await page.goto(`${service.url}/dms/studio`);
    await signIn('tom@readers');
    await page.getByText('You are signed in as tom@example.com, who is no platform owner.').waitFor();
  });
});
