import { environmentVariables } from '../../../config/variables.ts';
import type { Topic } from '../topic.ts';

export const environmentTopic: Topic = {
  title: 'Settings, keys and environment variables',
  parts: [
    {
      examples: [
        ['pdi config set max-billable 500 --profile work', 'a setting of a profile'],
        ['pdi config list', 'each setting, and where its value comes from'],
        ['PDI_PROFILE=work pdi config get max-billable', 'another profile for one command'],
        ['pdi config path', 'where settings and keys are'],
      ],
    },
    { rows: environmentVariables.map(({ name, description }) => [name, description]) },
    'A setting is taken from the flag, else the variable, else the profile, else the default. A key is taken from an explicit --profile, else PDI_API_KEY, else PDI_API_KEY_FILE, else the selected profile.',
    { heading: 'The key' },
    'It is never taken from the command line: `pdi config set api-key` asks for it without echo, or reads stdin with -. It lies in config.json, which its owner alone may read, or nowhere: with `pdi config set key-command PROGRAM`, a password manager gives it. It is sent to the base URL of its profile and to no other, follows no redirect elsewhere, and is shown with its last four characters at most.',
  ],
};
