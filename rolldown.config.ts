/** Bundles the program, its dependencies included, as CommonJS: it starts faster than ESM and than node_modules. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'rolldown';
import * as scripts from './src/front/completion/scripts.ts';
import * as pages from './src/front/help/help-pages.ts';
import * as topics from './src/front/help/topics.ts';

/**
 * Modules that a package loads for something it is never asked to do here (HTTP/2, subcommands in programs of their own, replication, a
 * validator that is given another), by the name it uses, with what stands for them.
 */
const unused = {
  undici: {
    'node:http2': 'module.exports = { constants: {} };',
    './client-h2.js':
      'module.exports = () => { throw new Error("HTTP/2 is not in this bundle"); };',
  },
  commander: { 'node:child_process': 'module.exports = {};' },
  '@modelcontextprotocol/server': {
    '@modelcontextprotocol/server/_shims':
      'export { default as process } from "node:process"; export class DefaultJsonSchemaValidator {}',
  },
  postgres: {
    './subscribe.js': 'export default () => undefined;',
    './large.js': 'export default () => undefined;',
  },
};

export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  // It has native parts, and only an older Node needs it.
  external: ['libsql', 'node:sqlite'],
  transform: { target: 'node20' },
  plugins: [
    ownZod(),
    unusedModules(),
    withoutEnvironment(),
    writtenTexts(),
    asciiOnly(),
    notices(),
  ],
  output: {
    dir: 'dist',
    format: 'cjs',
    // Node's loader of ESM, which takes longer than most of what it would load here, stays out.
    dynamicImportInCjs: false,
    cleanDir: true,
    minify: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // What always loads together is one file each, with all it imports: every file costs a third of a millisecond.
    codeSplitting: {
      groups: [
        // Help is answered without the commands, which use these names too.
        { name: 'topic', test: /src\/front\/help\/topic\.ts$/, priority: 6 },
        { name: 'command', test: /src\/session\/session\.ts$/, priority: 5 },
        {
          name: 'rows',
          test: /src\/(?:road\/(?:delivery|summary)|output\/json|contract\/(?:columns|health|service))\.ts$/,
          priority: 4,
        },
        { name: 'book', test: /src\/book\/open-book\.ts$/, priority: 3 },
        { name: 'call', test: /src\/client\/client\.ts$/, priority: 2 },
        { name: 'input', test: /src\/(?:input\/open-input|road\/input-source)\.ts$/, priority: 1 },
      ],
    },
  },
});

/** Leaves unused modules out. */
function unusedModules(): Plugin {
  const replaced = Object.entries(unused).flatMap(([name, modules]) =>
    Object.entries(modules).map(([source, code]) => ({
      source,
      code,
      folder: `/node_modules/${name}/`,
      id: `\0${name}:${source}`,
    })),
  );
  return {
    name: 'unused-modules',
    resolveId: (wanted, importer) =>
      replaced.find(({ source, folder }) => wanted === source && importer?.includes(folder))?.id,
    load: (wanted) => replaced.find(({ id }) => id === wanted)?.code,
  };
}

/**
 * The package of `pdi mcp` uses more of zod than the contract does. Bundled once for both, every other command would load what only
 * that one needs, and start a fifth later; so it gets a copy of its own.
 */
function ownZod(): Plugin {
  const mark = '?mcp';
  const isTheirs = (importer = ''): boolean =>
    importer.includes('/node_modules/@modelcontextprotocol/') || importer.endsWith(mark);
  return {
    name: 'own-zod',
    async resolveId(wanted, importer) {
      if (!isTheirs(importer) || !/^(?:zod\b|\.)/.test(wanted)) return null;
      const found = await this.resolve(wanted, importer?.replace(mark, ''), { skipSelf: true });
      return found?.id.includes('/node_modules/zod/') === true ? `${found.id}${mark}` : null;
    },
    load: (id) => (id.endsWith(mark) ? readFileSync(id.slice(0, -mark.length), 'utf8') : null),
  };
}

/** `postgres` would read variables by itself, some otherwise than libpq does, and refuse what libpq takes. */
function withoutEnvironment(): Plugin {
  return {
    name: 'without-environment',
    transform: (code, id) =>
      id.endsWith('/node_modules/postgres/src/index.js')
        ? code.replaceAll('process.env', '{}')
        : null,
  };
}

/** Puts texts themselves in the place of the modules that read them, or make them from the command tree, the contract and the settings. */
function writtenTexts(): Plugin {
  const written = new Map(
    Object.entries({
      'completion/scripts': scripts,
      'help/help-pages': pages,
      'help/topics': topics,
    }).map(([module, exported]) => [
      fileURLToPath(new URL(`src/front/${module}.ts`, import.meta.url)),
      Object.entries(exported).map(
        ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
      ),
    ]),
  );
  return { name: 'written-texts', load: (id) => written.get(id)?.join('\n') };
}

/** Escapes what is not ASCII: a single such character makes the engine hold a file in two bytes a character, and read it half as fast. */
function asciiOnly(): Plugin {
  const escaped = (unit: string): string =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return {
    name: 'ascii-only',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk') chunk.code = chunk.code.replace(/[^\0-\x7f]/g, escaped);
    },
  };
}

/** Ships what is in the bundle: the licences of its packages, and a list of them for scanners (CycloneDX), which npm cannot make. */
function notices(): Plugin {
  return {
    name: 'notices',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) =>
        chunk.type === 'chunk' ? chunk.moduleIds : [],
      );
      const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
      const source = [...folders].sort().map(noticeOf).join('\n\n');
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.txt', source: `${source}\n` });
      const components = [...folders].sort().map((folder) => componentOf(folder, 'library'));
      const bill = {
        ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
        metadata: { component: componentOf('.', 'application') },
        components,
      };
      this.emitFile({
        type: 'asset',
        fileName: 'sbom.cdx.json',
        source: `${JSON.stringify(bill, null, 1)}\n`,
      });
    },
  };
}

function packageFolder(module: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)?.[0];
}

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function componentOf(folder: string, type: 'library' | 'application') {
  const { name, version, license } = manifestOf(folder);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type, name, version, 'bom-ref': purl, purl, licenses: [{ expression: license }] };
}

function noticeOf(folder: string): string {
  const { name, version, license } = manifestOf(folder);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text =
    file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version}\n\n${text}`;
}
