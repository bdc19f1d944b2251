/**
 * How an investigation ends: one person prepares a proposal on the case's page, a second one approves it there, and the
 * command that the page then shows is run off-line as printed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { ProposedKind } from '@platform/contracts-provisioning';
import { runProgram } from '../../support/run-program';
import { goTo, axeFindings } from './browser';
import { caseHash, signedInTab, type ConsoleAccess } from './screens';
import { takeScreenshot } from '../../support/screenshots';
import { proof, type Asked, type Ending } from './endings';
import type { SeededCases } from './seed-cases';

/** Other suites of the same record have their own proposals; this suite's is the one with this proof. */
const ours = (proposals: Locator): Locator => proposals.locator(`.proposals > li:has-text("${proof}")`);

const section = (page: Page, record: ProposedKind) => page.locator(`section[aria-labelledby="proposals-${record}"]`);

async function openCase({ platform }: ConsoleAccess, page: Page, { kind, heading, id }: Asked, seeded: SeededCases) {
  await goTo(page, platform.gatewayUrl, caseHash(kind, id(seeded)), heading);
}

async function prepare(access: ConsoleAccess, page: Page, asked: Asked, seeded: SeededCases): Promise<Locator> {
  await openCase(access, page, asked, seeded);
  const proposals = section(page, asked.record);
  await proposals.locator('summary:has-text("Prepare a proposal")').click();
  await page.fill(`#field-${asked.record}-stopped`, proof);
  await page.selectOption(`#field-${asked.record}-outcome`, asked.outcome);
  await proposals.locator('button:has-text("Prepare proposal")').click();
  return proposals;
}

/** The first person; the page offers this person no approval. */
async function propose(access: ConsoleAccess, page: Page, ending: Ending, seeded: SeededCases): Promise<void> {
  const proposals = await prepare(access, page, ending, seeded);
  await ours(proposals).locator('text=It needs a second person').waitFor();
  expect(await ours(proposals).innerText()).toMatch(ending.consequence);
  expect(await ours(proposals).locator('button:has-text("Approve proposal")').count()).toBe(0);
}

/** The second person; returns the printed command. */
async function approve(access: ConsoleAccess, page: Page, ending: Ending, seeded: SeededCases): Promise<string> {
  await openCase(access, page, ending, seeded);
  const proposals = section(page, ending.record);
  await ours(proposals).locator('button:has-text("Approve proposal")').click();
  const line = ours(proposals).locator('code:has-text("--proposal")');
  await line.waitFor();
  return line.innerText();
}

/** Runs the command as a person at a terminal does, with that person's token. */
async function apply({ platform }: ConsoleAccess, page: Page, ending: Ending, line: string) {
  const tokenFile = join(platform.localDir, 'cleo.token');
  writeFileSync(tokenFile, await platform.token({ role: 'platform_owner', email: 'cleo@example.com' }));
  const words = line.replace('<file with your token>', tokenFile).split(' ').slice(['npm', 'run', 'ops', '--'].length);
  const at = words.indexOf('--proposal') + 1;
  if (words[at]!.endsWith('.json')) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      ours(section(page, ending.record)).locator('button:has-text("Download signed proposal")').click(),
    ]);
    expect(download.suggestedFilename()).toBe(words[at]);
    words[at] = join(platform.localDir, words[at]!);
    await download.saveAs(words[at]);
  }
  const env = {
    PATH: process.env['PATH'] ?? '',
    LOCAL_DIR: platform.localDir,
    PORT_BASE: String(platform.portBase),
  };
  return runProgram(['infra/local/ops.mjs', ...words, '--yes'], { env });
}

/** The page says why, and no proposal exists afterwards. */
export async function beRefused(
  access: ConsoleAccess,
  seeded: SeededCases,
  { says, ...asked }: Asked & { readonly says: RegExp },
): Promise<void> {
  const { page } = await signedInTab(access);
  const proposals = await prepare(access, page, asked, seeded);
  const said = proposals.locator('p[role=status]').filter({ hasText: says });
  await said.waitFor();
  // The code is for programs.
  expect(await said.innerText()).not.toMatch(/^[a-z]+_[a-z_]+:/);
  expect(await proposals.locator('li').count()).toBe(0);
  await page.context().close();
}

export async function endInvestigation(access: ConsoleAccess, seeded: SeededCases, ending: Ending): Promise<void> {
  const { platform } = access;
  const person = async (name: string) =>
    signedInTab({
      ...access,
      token: await platform.token({ role: 'platform_owner', email: `${name}@example.com` }),
    });
  const [ann, ben] = [await person('ann'), await person('ben')];
  try {
    await propose(access, ann.page, ending, seeded);
    const line = await approve(access, ben.page, ending, seeded);
    expect(await axeFindings(ben.page)).toEqual([]);
    await takeScreenshot(ben.page, `proposal-${ending.record}`);
    const run = await apply(access, ben.page, ending, line);
    expect(run).toMatchObject({ status: 0, stdout: expect.stringContaining(ending.becomes) });
    expect(await apply(access, ben.page, ending, line)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is nothing to resolve'),
    });
    await ann.page.waitForSelector(`.case :text-matches("${ending.becomes}", "i")`);
    expect([...ann.complaints, ...ben.complaints]).toEqual([]);
  } finally {
    await ann.page.context().close();
    await ben.page.context().close();
  }
}
