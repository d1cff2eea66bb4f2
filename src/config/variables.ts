/** Lists every environment variable that matters to pdi, for the help topic "environment". */
import { allSettings } from './settings.ts';

const others = [
  { name: 'PDI_API_KEY', description: 'API key; an explicit --profile comes before it' },
  { name: 'PDI_API_KEY_FILE', description: 'file that holds the API key and nothing else' },
  { name: 'PDI_SANDBOX', description: '1: run the command against the built-in sandbox, as --sandbox' },
  { name: 'PDI_CONFIG_DIR', description: 'folder of config.json' },
  { name: 'XDG_CONFIG_HOME', description: 'folder above pdi/config.json, where PDI_CONFIG_DIR is unset' },
  { name: 'XDG_STATE_HOME', description: 'folder above pdi/, where the book is kept' },
  { name: 'HTTPS_PROXY, HTTP_PROXY', description: "proxy for the base URL's scheme; its address may hold NAME:PASSWORD@" },
  { name: 'ALL_PROXY', description: 'proxy for a scheme that has none of its own' },
  { name: 'NO_PROXY', description: 'hosts reached without a proxy' },
  { name: 'NODE_EXTRA_CA_CERTS', description: 'file of further certificate authorities' },
  { name: 'NO_COLOR, FORCE_COLOR, TERM=dumb', description: 'colour off, on, off' },
  { name: 'CI', description: 'set: nothing is ever asked' },
];

export const environmentVariables: readonly { readonly name: string; readonly description: string }[] = [
  ...allSettings.flatMap(({ environment, description }) => (environment === undefined ? [] : [{ name: environment, description }])),
  ...others,
];
