/**
 * A person who hears the page: what Chromium's accessibility tree says, and the keyboard. Elements are found by role and
 * name alone, focused as a reader focuses them, and what a reader would speak by itself is recorded: text that comes into
 * a live region that was there before, and alerts.
 */
import { eventually } from '@platform/testing';
import type { CDPSession, Page } from 'playwright-core';

interface RawNode {
  readonly nodeId: string;
  readonly ignored: boolean;
  readonly childIds?: readonly string[];
  readonly backendDOMNodeId?: number;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value: unknown } }[];
}

export interface Heard {
  readonly role: string;
  readonly name: string;
  readonly level?: number;
  readonly focused: boolean;
  readonly focusable: boolean;
  readonly disabled: boolean;
  readonly element: number;
}

type Name = string | RegExp;

/** Runs in the page, before its own code. */
const recordSpoken = `
  globalThis.spoken = [];
  const live = '[role=status],[role=alert],[aria-live=polite],[aria-live=assertive]';
  const say = (element) => {
    const text = (element.textContent ?? '').trim();
    if (text !== '' && globalThis.spoken.at(-1) !== text) globalThis.spoken.push(text);
  };
  new MutationObserver((records) => {
    const added = records.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.nodeType === 1);
    for (const node of added)
      for (const alert of [node, ...node.querySelectorAll('[role=alert]')]) if (alert.matches('[role=alert]')) say(alert);
    for (const { target } of records) {
      const region = (target.nodeType === 1 ? target : target.parentElement)?.closest(live);
      // A region that comes together with its text is not announced by most readers.
      if (region && !added.some((node) => node.contains(region))) say(region);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
`;

const fits = (name: string, wanted: Name): boolean =>
  typeof wanted === 'string' ? name === wanted : wanted.test(name);

function heardOf({ role, name, properties = [], backendDOMNodeId: element = 0 }: RawNode): Heard {
  const property = (wanted: string): unknown => properties.find((each) => each.name === wanted)?.value.value;
  const level = property('level');
  return {
    ...{ role: role?.value ?? '', name: name?.value ?? '', element },
    ...(typeof level === 'number' && { level }),
    focused: property('focused') === true,
    focusable: property('focusable') === true,
    disabled: property('disabled') === true,
  };
}

export class ScreenReader {
  private constructor(
    readonly page: Page,
    private readonly session: CDPSession,
  ) {}

  /** Before the page is opened. */
  static async on(page: Page): Promise<ScreenReader> {
    await page.addInitScript(recordSpoken);
    const session = await page.context().newCDPSession(page);
    await session.send('Accessibility.enable');
    return new ScreenReader(page, session);
  }

  /** The elements of the page in reading order. */
  async everything(): Promise<readonly Heard[]> {
    const { nodes } = (await this.session.send('Accessibility.getFullAXTree')) as unknown as {
      nodes: readonly RawNode[];
    };
    const byId = new Map(nodes.map((node) => [node.nodeId, node]));
    const inOrder: Heard[] = [];
    const walk = (node: RawNode | undefined): void => {
      if (!node) return;
      if (!node.ignored) inOrder.push(heardOf(node));
      for (const child of node.childIds ?? []) walk(byId.get(child));
    };
    walk(nodes[0]);
    return inOrder;
  }

  /** Waits until something of this role and name can be used. */
  async find(role: string, name: Name): Promise<Heard> {
    let found: Heard | undefined;
    await eventually(
      async () => {
        const all = await this.everything();
        found = all.find((each) => each.role === role && fits(each.name, name) && !each.disabled);
        return found !== undefined;
      },
      { describe: `a ${role} named ${String(name)} in the accessibility tree` },
    );
    return found!;
  }

  async has(role: string, name: Name): Promise<boolean> {
    return (await this.everything()).some((each) => each.role === role && fits(each.name, name));
  }

  async moveTo(role: string, name: Name): Promise<void> {
    const { element, focusable } = await this.find(role, name);
    if (!focusable) throw new Error(`the ${role} named ${String(name)} takes no focus`);
    await this.session.send('DOM.focus', { backendNodeId: element });
  }

  async press(role: 'button' | 'link', name: Name): Promise<void> {
    await this.moveTo(role, name);
    await this.page.keyboard.press('Enter');
  }

  async type(role: 'textbox' | 'searchbox', name: Name, text: string): Promise<void> {
    await this.moveTo(role, name);
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.type(text);
  }

  /** Types over what the field holds from the clipboard: what no person types letter by letter, as a token. */
  async paste(role: 'textbox' | 'searchbox', name: Name, text: string): Promise<void> {
    await this.moveTo(role, name);
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.insertText(text);
  }

  /** A list of choices: the letters with which the option begins. */
  async choose(name: Name, option: string): Promise<void> {
    await this.moveTo('combobox', name);
    await this.page.keyboard.type(option);
    await this.page.keyboard.press('Tab');
  }

  /** Role and name of what has the focus. */
  async here(): Promise<string> {
    const all = await this.everything();
    const { role, name } = all.findLast(({ focused }) => focused) ?? { role: 'nothing', name: '' };
    return `${role} ${name}`.trim();
  }

  /** Waits until reading goes on at this place. */
  async arrivesAt(role: string, name: Name): Promise<void> {
    let last = '';
    const arrived = async () => {
      last = await this.here();
      const [had = '', ...rest] = last.split(' ');
      return had === role && fits(rest.join(' '), name);
    };
    await eventually(arrived, { describe: `the focus on the ${role} named ${String(name)}` }).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}; it is on: ${last}`);
      },
    );
  }

  /** Waits until this was spoken without the person asking. */
  async hears(text: RegExp): Promise<void> {
    let said: readonly string[] = [];
    const heard = async () => {
      said = await this.page.evaluate<string[]>('globalThis.spoken');
      return said.some((each) => text.test(each));
    };
    await eventually(heard, { describe: `${String(text)} spoken by a live region` }).catch((error: unknown) => {
      throw new Error(`${String(error)}; spoken was: ${said.join(' | ')}`);
    });
  }

  /** From now on only what is said later counts. */
  async listens(): Promise<void> {
    await this.page.evaluate('globalThis.spoken = []');
  }

  /** What is wrong with the outline and the landmarks of the page; empty when nothing is. */
  async faults(): Promise<string[]> {
    const all = await this.everything();
    const headings = all.filter(({ role }) => role === 'heading');
    const levels = headings.map(({ level = 0 }) => level);
    const faults = headings.flatMap(({ name, level = 0 }, at) => {
      const before = at === 0 ? 0 : levels[at - 1]!;
      return [
        ...(level > before + 1 ? [`heading ${level} “${name}” follows heading ${before}`] : []),
        ...(name.trim() === '' ? [`a heading ${level} has no text`] : []),
      ];
    });
    if (levels.filter((level) => level === 1).length !== 1) faults.push(`levels of headings: ${levels.join(' ')}`);
    if (all.filter(({ role }) => role === 'main').length !== 1) faults.push('there is not one main part');
    for (const { role, name } of all)
      if (
        ['button', 'link', 'textbox', 'searchbox', 'combobox', 'checkbox', 'navigation'].includes(role) &&
        name.trim() === ''
      )
        faults.push(`a ${role} has no name`);
    const fields = all.filter(({ role }) => role === 'textbox' || role === 'combobox').map(({ name }) => name);
    for (const name of new Set(fields.filter((each, at) => fields.indexOf(each) !== at)))
      faults.push(`several fields are named “${name}”`);
    return faults;
  }
}
