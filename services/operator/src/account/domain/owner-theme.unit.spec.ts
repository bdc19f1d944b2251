import { contrast, ownerThemeVariable } from './owner-theme';

const read = (theme: object) => ownerThemeVariable.safeParse(JSON.stringify(theme));

describe("a theme of the owner's pages", () => {
  it('measures contrast as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrast('#1a5fb4', '#1a5fb4')).toBe(1);
  });

  it('gets the text that can be read on its colours', () => {
    expect(read({ name: 'Acme Cloud', accent: '#1a5fb4', accentDark: '#99c1f1', radius: '10px' })).toMatchObject({
      success: true,
      data: { name: 'Acme Cloud', onAccent: '#ffffff', onAccentDark: '#14132e' },
    });
  });

  it.each([
    ['a colour that is hard to read on white', { name: 'A', accent: '#ffd700', accentDark: '#99c1f1' }, 'accent'],
    ['a colour that is hard to read on dark', { name: 'A', accent: '#1a5fb4', accentDark: '#241f31' }, 'accentDark'],
    ['one colour alone', { name: 'A', accent: '#1a5fb4' }, 'accentDark'],
    ['what is no colour', { name: 'A', accent: 'red', accentDark: '#99c1f1' }, 'accent'],
    ['a declaration in a length', { name: 'A', radius: '1px;color:red' }, 'radius'],
    ['no name', { accent: '#1a5fb4', accentDark: '#99c1f1' }, 'name'],
    ['an unknown member', { name: 'A', font: 'Comic Sans' }, ''],
  ])('is refused with %s', (_what, theme, member) => {
    const { success, error } = read(theme);
    expect(success).toBe(false);
    expect(error?.issues.map(({ path }) => path.join('.'))).toContain(member);
  });

  it('is refused when it is no JSON', () => {
    expect(ownerThemeVariable.safeParse('accent: red').success).toBe(false);
  });
});
