// Texts that people read are not mutated: a test that compares each sentence would only repeat it.
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** More than one word, or the fixed part of a text around values. */
const isSentence = (text) => /\S\s+\S|\s$|^\s/.test(text);

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'sentences', {
    shouldIgnore({ node }) {
      if (node.type === 'StringLiteral' && isSentence(node.value)) return 'a text for people';
      if (node.type === 'TemplateLiteral' && node.quasis.some(({ value }) => isSentence(value.raw)))
        return 'a text for people';
      return undefined;
    },
  }),
];
