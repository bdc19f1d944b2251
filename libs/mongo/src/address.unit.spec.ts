import { addressProblem } from './address';

describe('the address of a database', () => {
  it.each([
    'mongodb://127.0.0.1:7017',
    'mongodb://ann:hidden@a:1,b:2/platform?replicaSet=rs0',
    'mongodb+srv://db.example',
  ])('is %s', (url) => {
    expect(addressProblem(url)).toBeUndefined();
  });

  it.each([
    ['foo', /^it begins with/],
    ['mongodb://', /^it begins with/],
    ['mongodb://ann:hid%zzden@127.0.0.1/', /malformed/],
    ['mongodb://ann:hidden@127.0.0.1/?foo=bar', /option foo is not supported/],
    ['mongodb://ann:hidden@', /./],
    ['mongodb://ann:hidden@127.0.0.1:99999/', /host or a port/],
    ['mongodb://ann:hidden', /host or a port/],
  ])('is not %s, and what is said of it has no part of a password', (url, problem) => {
    expect(addressProblem(url)).toMatch(problem);
    expect(addressProblem(url)).not.toMatch(/hid/);
  });
});
