/**
 * Finds incomplete subjects: no stream stores it, no service publishes it, its durable has no reader, or production
 * code writes it a second time outside the contracts.
 */
import * as billingWebhook from '@platform/contracts-billing-webhook';
import * as lifecycle from '@platform/contracts-lifecycle-delivery';
import * as operator from '@platform/contracts-operator';
import * as provisioning from '@platform/contracts-provisioning';
import { platformTopology } from '@platform/messaging';
import { subjectMatches } from '@platform/messaging/testing';
import { contractSubjects } from '../../infra/nats/permissions.matrix';
import { serviceParties } from '../../infra/nats/permissions';
import { files, text } from './tree';

const production = files()
  .filter((file) => /^(services|libs)\/.+\/src\/.+\.ts$/.test(file) && !/^libs\/contracts\//.test(file))
  .filter((file) => !/\.(spec|features|harness)\.ts$|\/testing(\/|\.ts$)/.test(file))
  .map((file) => ({ file, source: text(file) }));
const { streams } = platformTopology();

/**
 * Subjects of messages, which have a type of the same name, for example `workspaceSubjects.committed` and
 * `workspaceTypes.committed`.
 */
const messages = [billingWebhook, lifecycle, operator, provisioning]
  .flatMap((contract) => Object.entries(contract))
  .filter(([name, value]) => name.endsWith('Types') && typeof value === 'object')
  .flatMap(([name, types]) => Object.keys(types).map((key) => `${name.replace(/Types$/, 'Subjects')}.${key}`));
const plain = [...contractSubjects()].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
const told = plain.filter(([name]) => messages.includes(name));

describe('a subject of a contract', () => {
  it('that is a message is stored by exactly one stream', () => {
    expect(told.length).toBeGreaterThan(4);
    const storing = (subject: string) =>
      streams.filter(({ subjects }) => subjects.some((pattern) => subjectMatches(pattern, subject)));
    expect(told.filter(([, subject]) => storing(subject).length !== 1)).toEqual([]);
  });

  it('that is a message is said by a service', () => {
    expect(told.filter(([name]) => !production.some(({ source }) => source.includes(name)))).toEqual([]);
  });

  it('is spelt nowhere else in production code, also without a wildcard', () => {
    const spelt = production.flatMap(({ file, source }) =>
      plain.filter(([, subject]) => source.includes(`'${subject}'`)).map(([name]) => `${file} ${name}`),
    );
    expect(spelt).toEqual([]);
  });
});

describe('a durable of the topology', () => {
  const durables = streams.flatMap(({ name, durables: fixed }) => fixed.map((each) => ({ stream: name, ...each })));
  const readersOf = ({ stream, durable }: { stream: string; durable: string }) =>
    serviceParties.filter(({ consumes }) =>
      consumes.some((each) => each.stream === stream && each.durable === durable),
    );

  it('has exactly one service that may read it, which names it in its code', () => {
    const unread = durables.filter((each) => {
      const [reader, ...others] = readersOf(each);
      const named = production.some(
        ({ file, source }) =>
          file.startsWith(`services/${reader?.user}/`) && new RegExp(`urable(:| =) '${each.durable}'`).test(source),
      );
      return !reader || others.length > 0 || !named;
    });
    expect(unread.map(({ stream, durable }) => `${stream}/${durable}`)).toEqual([]);
  });
});
