/** What axe finds on a page, for every suite that judges pages in a browser. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** The rules that judge colours, which take half of the time: another theme changes nothing else, a width not these. */
const colourRules = ['color-contrast', 'link-in-text-block'];

export type AxeRules = 'all' | 'colours' | 'all but colours';

const rulesOf: Readonly<Record<AxeRules, object>> = {
  all: {},
  colours: { runOnly: colourRules },
  'all but colours': { rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])) },
};

/** Findings of axe of every impact on the page as shown, one line each. */
export async function axeFindings(page: Page, rules: AxeRules = 'all'): Promise<string[]> {
  // Another screen with only another hash is still the same document.
  if (!(await page.evaluate('typeof axe !== "undefined"'))) await page.evaluate(axeSource);
  // It judges no text over a gradient: the shade at the edges of tables is left out.
  await page.evaluate(`document.querySelectorAll('.scroll').forEach(({ style }) => (style.backgroundImage = 'none'))`);
  // Details of what passed are not collected: no test reads them.
  const options = { resultTypes: ['violations'], ...rulesOf[rules] };
  const { violations } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => ({ violations }))`,
  )) as AxeResults;
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) =>
        `${impact} ${id}: ${html.slice(0, 160)} (${failureSummary.split('\n')[1]?.trim() ?? ''})`,
    ),
  );
}
